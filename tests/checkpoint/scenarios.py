"""Programs with checkpointing whose outcome was recorded with PyTorch (see tests/scenario.py)."""


def _twice(torch, calls):
    weight = torch.linspace(-1, 1, 9).reshape(3, 3).requires_grad_()

    def function(x):
        calls.append(x.requires_grad)
        return torch.tanh(x @ weight).pow(2) @ weight

    return weight, function


def _input(torch):
    return torch.linspace(-2, 2, 6).reshape(2, 3).requires_grad_()


def _step(torch, run):
    calls = []
    weight, function = _twice(torch, calls)
    x = _input(torch)
    run(torch.utils.checkpoint.checkpoint, function, x).sum().backward()
    return {"calls": len(calls), "x": x.grad, "weight": weight.grad}


def non_reentrant(torch):
    return _step(torch, lambda checkpoint, f, x: checkpoint(f, x, use_reentrant=False))


def reentrant(torch):
    return _step(torch, lambda checkpoint, f, x: checkpoint(f, x, use_reentrant=True))


def default_warns(torch):
    return _step(torch, lambda checkpoint, f, x: checkpoint(f, x))


def nested(torch):
    def run(checkpoint, f, x):
        def outer(a):
            inner = checkpoint(f, a, use_reentrant=False)
            return checkpoint(f, inner.tanh(), use_reentrant=False)

        return checkpoint(outer, x, use_reentrant=False)

    return _step(torch, run)


def nested_without_early_stop(torch):
    def run(checkpoint, f, x):
        def outer(a):
            return checkpoint(f, checkpoint(f, a, use_reentrant=False).tanh(), use_reentrant=False)

        with torch.utils.checkpoint.set_checkpoint_early_stop(False):
            return checkpoint(outer, x, use_reentrant=False)

    return _step(torch, run)


def nested_three_deep(torch):
    def run(checkpoint, f, x):
        def two(a):
            return checkpoint(f, f(a).sin(), use_reentrant=False).cos()

        def three(a):
            return checkpoint(two, f(a).sin(), use_reentrant=False).cos()

        return checkpoint(three, x, use_reentrant=False)

    return _step(torch, run)


def reentrant_inside_non_reentrant(torch):
    def run(checkpoint, f, x):
        def outer(a):
            return checkpoint(f, a.sin(), use_reentrant=True)

        return checkpoint(outer, x, use_reentrant=False)

    return _step(torch, run)


def early_stop_skips_what_nobody_needs(torch):
    seen = []

    def function(x):
        y = x.exp()
        seen.append("before")
        z = y.sin()
        seen.append("after sin")
        return z + 1, seen.append("after add")

    x = _input(torch)
    torch.utils.checkpoint.checkpoint(function, x, use_reentrant=False)[0].sum().backward()
    return seen, x.grad


def without_early_stop(torch):
    seen = []

    def function(x):
        y = x.exp().sin()
        seen.append("after sin")
        return y + 1

    x = _input(torch)
    checkpoint = torch.utils.checkpoint.checkpoint
    checkpoint(function, x, use_reentrant=False, early_stop=False).sum().backward()
    return seen


def twice_with_retain_graph(torch):
    calls = []
    weight, function = _twice(torch, calls)
    x = _input(torch)
    y = torch.utils.checkpoint.checkpoint(function, x, use_reentrant=False).sum()
    y.backward(retain_graph=True)
    y.backward()
    return len(calls), x.grad, weight.grad


def second_backward_is_refused(torch):
    calls = []
    _, function = _twice(torch, calls)
    y = torch.utils.checkpoint.checkpoint(function, _input(torch), use_reentrant=False).sum()
    y.backward()
    y.backward()


def double_backward(torch):
    calls = []
    weight, function = _twice(torch, calls)
    x = _input(torch)
    y = torch.utils.checkpoint.checkpoint(function, x, use_reentrant=False).sum()
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    return torch.autograd.grad(g.pow(2).sum(), (x, weight))


def autograd_grad(torch):
    calls = []
    weight, function = _twice(torch, calls)
    x = _input(torch)
    y = torch.utils.checkpoint.checkpoint(function, x, use_reentrant=False).sum()
    return torch.autograd.grad(y, (x, weight)), len(calls)


def autograd_grad_reentrant(torch):
    _, function = _twice(torch, [])
    x = _input(torch)
    y = torch.utils.checkpoint.checkpoint(function, x, use_reentrant=True).sum()
    return torch.autograd.grad(y, x)


def backward_inputs_reentrant(torch):
    _, function = _twice(torch, [])
    x = _input(torch)
    y = torch.utils.checkpoint.checkpoint(function, x, use_reentrant=True).sum()
    y.backward(inputs=[x])


def no_input_requires_grad_reentrant(torch):
    _, function = _twice(torch, [])
    x = _input(torch).detach()
    return torch.utils.checkpoint.checkpoint(function, x, use_reentrant=True).requires_grad


def no_input_requires_grad(torch):
    weight, function = _twice(torch, [])
    x = _input(torch).detach()
    torch.utils.checkpoint.checkpoint(function, x, use_reentrant=False).sum().backward()
    return weight.grad


def no_output_requires_grad_reentrant(torch):
    x = _input(torch)
    checkpoint = torch.utils.checkpoint.checkpoint
    checkpoint(lambda t: t.detach() * 2, x, use_reentrant=True).sum().backward()


def under_no_grad(torch):
    calls = []
    _, function = _twice(torch, calls)
    with torch.no_grad():
        y = torch.utils.checkpoint.checkpoint(function, _input(torch), use_reentrant=False)
    return y, len(calls), y.requires_grad


def dropout_is_repeated(torch):
    x = torch.ones(20, requires_grad=True)
    results = []
    for use_reentrant in (False, True):
        torch.manual_seed(3)
        y = torch.utils.checkpoint.checkpoint(
            lambda t: torch.nn.functional.dropout(t.exp(), 0.5), x, use_reentrant=use_reentrant
        )
        after = torch.rand(2)
        x.grad = None
        y.sum().backward()
        results.append((y, x.grad, after, torch.rand(1)))
    return results


def dropout_not_repeated(torch):
    x = torch.ones(20, requires_grad=True)
    torch.manual_seed(3)
    y = torch.utils.checkpoint.checkpoint(
        lambda t: torch.nn.functional.dropout(t.exp(), 0.5), x, use_reentrant=False,
        preserve_rng_state=False,
    )  # fmt: skip
    y.sum().backward()
    return y, x.grad


def keyword_arguments(torch):
    x, scale = _input(torch), torch.tensor(3.0, requires_grad=True)
    y = torch.utils.checkpoint.checkpoint(
        lambda t, *, scale, shift=1: (t * scale).exp() + shift, x, scale=scale, use_reentrant=False
    )
    y.sum().backward()
    return y, x.grad, scale.grad


def keyword_arguments_reentrant(torch):
    torch.utils.checkpoint.checkpoint(lambda t, a: t, _input(torch), a=1, use_reentrant=True)


def other_arguments(torch):
    x = _input(torch)
    results = []
    for use_reentrant in (False, True):
        x.grad = None
        y, n = torch.utils.checkpoint.checkpoint(
            lambda t, n, name, d: (t.exp() * n * d["k"], len(name)), x, 3, "abc", {"k": 2},
            use_reentrant=use_reentrant,
        )  # fmt: skip
        y.sum().backward()
        results.append((x.grad, n))
    return results


def tensors_in_a_list(torch):
    x = _input(torch)
    y = torch.utils.checkpoint.checkpoint(
        lambda parts: parts[0].exp() * parts[1], [x, x.detach()], use_reentrant=False
    )
    y.sum().backward()
    return x.grad


def context_fn(torch):
    import contextlib

    seen = []

    @contextlib.contextmanager
    def noting(text):
        seen.append(f"enter {text}")
        yield
        seen.append(f"leave {text}")

    y = torch.utils.checkpoint.checkpoint(
        torch.exp, _input(torch), use_reentrant=False,
        context_fn=lambda: (noting("forward"), noting("again")),
    )  # fmt: skip
    seen.append("between")
    y.sum().backward()
    return seen


def context_fn_reentrant(torch):
    torch.utils.checkpoint.checkpoint(
        torch.exp, _input(torch), use_reentrant=True, context_fn=lambda: (None, None)
    )


def different_number_of_tensors(torch):
    runs = []

    def function(x):
        runs.append(1)
        return x.exp().sin() if len(runs) == 1 else x.exp() + 1

    y = torch.utils.checkpoint.checkpoint(function, _input(torch), use_reentrant=False)
    y.sum().backward()


def more_tensors(torch):
    runs = []

    def function(x):
        runs.append(1)
        return x.exp() if len(runs) == 1 else x.exp().sin().cos()

    y = torch.utils.checkpoint.checkpoint(
        function, _input(torch), use_reentrant=False, early_stop=False
    )
    y.sum().backward()


def different_metadata(torch):
    runs = []

    def function(x):
        runs.append(1)
        return (x if len(runs) == 1 else x[:1]).exp().sin()

    y = torch.utils.checkpoint.checkpoint(function, _input(torch), use_reentrant=False)
    y.sum().backward()


def metadata_check_off(torch):
    runs = []

    def function(x):
        runs.append(1)
        return (x if len(runs) == 1 else x[:1]).exp()

    y = torch.utils.checkpoint.checkpoint(
        function, x := _input(torch), use_reentrant=False, determinism_check="none"
    )
    y.sum().backward()
    return x.grad


def unknown_determinism_check(torch):
    torch.utils.checkpoint.checkpoint(
        torch.exp, _input(torch), use_reentrant=False, determinism_check="values"
    )


def hooks_inside(torch):
    x = _input(torch)
    seen = []

    def function(t):
        y = t.exp()
        y.register_hook(lambda g: seen.append("hook") or g * 2)
        return y.sin()

    torch.utils.checkpoint.checkpoint(function, x, use_reentrant=False).sum().backward()
    return seen, x.grad


def saved_tensor_hooks_outside(torch):
    x = _input(torch)
    packed = []

    def pack(t):
        packed.append(list(t.shape))
        return t

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        y = torch.utils.checkpoint.checkpoint(lambda t: t.exp().sin(), x, use_reentrant=False)
    y.sum().backward()
    return packed, x.grad


def backward_inside(torch):
    x = _input(torch)

    def function(t):
        (g,) = torch.autograd.grad(t.exp().sin().sum(), t, create_graph=True)
        return g * t

    y = torch.utils.checkpoint.checkpoint(function, x, use_reentrant=False)
    y.sum().backward()
    return y, x.grad


def sequential(torch):
    steps = [torch.sin, torch.exp, torch.tanh, torch.exp, torch.sin]
    results = []
    for segments in (1, 2, 3, 5):
        calls = []
        noted = [lambda t, f=f, calls=calls: (calls.append(1), f(t))[1] for f in steps]
        x = _input(torch)
        torch.utils.checkpoint.checkpoint_sequential(
            noted, segments, x, use_reentrant=False
        ).sum().backward()
        results.append((len(calls), x.grad))
    return results


def sequential_unknown_argument(torch):
    torch.utils.checkpoint.checkpoint_sequential(
        [torch.sin], 1, _input(torch), use_reentrant=False, speed=1
    )


def custom_function_inside(torch):
    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx, t):
            ctx.save_for_backward(t, t * t)
            return t**3

        @staticmethod
        def backward(ctx, g):
            t, square = ctx.saved_tensors
            return g * (2 * square + t * t)

    x = _input(torch)
    torch.utils.checkpoint.checkpoint(
        lambda t: Cube.apply(t.sin()).sin(), x, use_reentrant=False
    ).sum().backward()
    return x.grad


def input_modified_in_place(torch):
    x = _input(torch)
    y = x * 2
    z = torch.utils.checkpoint.checkpoint(torch.exp, y, use_reentrant=False)
    y.add_(1)
    z.sum().backward()


def debug_tells_the_operations(torch):
    runs = []

    def function(x):
        runs.append(1)
        return x.exp().sin() if len(runs) == 1 else x.exp() + 1

    y = torch.utils.checkpoint.checkpoint(function, _input(torch), use_reentrant=False, debug=True)
    y.sum().backward()
