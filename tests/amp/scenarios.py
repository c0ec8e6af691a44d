"""Programs with autocast and GradScaler whose outcome was recorded with PyTorch."""


def _weight(torch):
    return torch.linspace(-1, 1, 12).reshape(3, 4).requires_grad_()


def _input(torch):
    return torch.linspace(-2, 2, 8).reshape(2, 4)


def _state(torch):
    return [
        torch.is_autocast_enabled("cpu"), torch.is_autocast_enabled(),
        torch.get_autocast_dtype("cpu"), torch.get_autocast_dtype("cuda"),
        torch.is_autocast_cache_enabled(),
    ]  # fmt: skip


def gradients_have_the_type_of_the_parameters(torch):
    w, x = _weight(torch), _input(torch).requires_grad_()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = torch.nn.functional.linear(x, w)
        loss = torch.nn.functional.mse_loss(y, torch.zeros(2, 3))
    loss.backward()
    return y, loss, w.grad, x.grad


def float16(torch):
    w, x = _weight(torch), _input(torch)
    with torch.autocast("cpu", dtype=torch.float16):
        y = x @ w.t()
    (y.float() ** 2).sum().backward()
    return y, w.grad


def a_small_network(torch):
    w1, w2 = _weight(torch), torch.linspace(-1, 1, 6).reshape(2, 3).requires_grad_()
    g = torch.ones(3, requires_grad=True)
    f = torch.nn.functional
    with torch.autocast("cpu"):
        h = f.layer_norm(f.gelu(f.linear(_input(torch), w1)), (3,), g)
        out = f.linear(h, w2)
        loss = f.cross_entropy(out, torch.tensor([0, 1]))
    loss.backward()
    return [t.dtype for t in (h, out, loss)], [w.grad.dtype for w in (w1, w2, g)]


def states(torch):
    seen = [_state(torch)]
    with torch.autocast("cpu", dtype=torch.float16, cache_enabled=False):
        seen.append(_state(torch))
        with torch.autocast("cpu", enabled=False):
            seen.append(_state(torch))
        with torch.autocast("cpu", dtype=torch.bfloat16):
            seen.append(_state(torch))
        seen.append(_state(torch))
    seen.append(_state(torch))
    return seen


def nesting(torch):
    a = torch.ones(2, 2)
    seen = []
    with torch.autocast("cpu", dtype=torch.bfloat16):
        low = a @ a
        seen.append(low.dtype)
        with torch.autocast("cpu", enabled=False):
            seen.append((a @ a).dtype)
            seen.append((low @ low).dtype)
        with torch.autocast("cpu", dtype=torch.float16):
            seen.append((a @ low).dtype)
        seen.append((a @ a).dtype)
    return seen, (a @ a).dtype


def decorator(torch):
    @torch.autocast("cpu", dtype=torch.bfloat16)
    def multiply(a):
        return (a @ a).dtype, torch.is_autocast_enabled("cpu")

    return multiply(torch.ones(2, 2)), torch.is_autocast_enabled("cpu"), multiply.__name__


def decorator_needs_a_function(torch):
    torch.autocast("cpu")(3)


def left_by_an_exception(torch):
    try:
        with torch.autocast("cpu"):
            raise KeyError("x")
    except KeyError:
        return _state(torch)


def set_by_hand(torch):
    a = torch.ones(2, 2)
    seen = []
    torch.set_autocast_enabled("cpu", True)
    torch.set_autocast_dtype("cpu", torch.float16)
    seen.append(((a @ a).dtype, _state(torch)))
    torch.set_autocast_cpu_dtype(torch.bfloat16)
    seen.append(((a @ a).dtype, torch.get_autocast_cpu_dtype()))
    torch.set_autocast_cpu_enabled(False)
    seen.append(((a @ a).dtype, torch.is_autocast_cpu_enabled()))
    torch.set_autocast_cache_enabled(False)
    seen.append(torch.is_autocast_cache_enabled())
    torch.set_autocast_cache_enabled(True)
    seen += [torch.autocast_increment_nesting(), torch.autocast_decrement_nesting()]
    torch.clear_autocast_cache()
    return seen


def cuda_is_not_there(torch):
    a = torch.ones(2, 2)
    with torch.autocast("cuda"):
        return (a @ a).dtype, torch.is_autocast_enabled("cuda")


def old_cuda_names(torch):
    with torch.cuda.amp.autocast():
        kind = (torch.ones(2, 2) @ torch.ones(2, 2)).dtype
    return kind, torch.cuda.amp.GradScaler().is_enabled()


def old_cuda_names_disabled(torch):
    with torch.cuda.amp.autocast(enabled=False):
        pass
    return torch.cuda.amp.GradScaler(enabled=False).is_enabled()


def old_cpu_names(torch):
    with torch.cpu.amp.autocast():
        kind = (torch.ones(2, 2) @ torch.ones(2, 2)).dtype
    return kind, torch.cpu.amp.GradScaler().is_enabled()


def float32_is_refused(torch):
    with torch.autocast("cpu", dtype=torch.float32):
        return torch.is_autocast_enabled("cpu")


def unknown_device(torch):
    torch.autocast("toaster")


def device_type_must_be_a_string(torch):
    torch.autocast(torch.device("cpu"))


def available(torch):
    return [torch.amp.is_autocast_available(d) for d in ("cpu", "cuda", "xpu", "mps", "meta")]


def weights_are_cast_once(torch):
    w, x = _weight(torch), _input(torch)
    f = torch.nn.functional
    names = []
    with torch.autocast("cpu"):
        a, b = f.linear(x, w), f.linear(x, w)
    for t in (a, b):
        names.append([n.name() for n, _ in t.grad_fn.next_functions if n is not None])
    (a.sum() + b.sum()).backward()
    return w.grad


def a_weight_changed_inside_the_block(torch):
    w, x = _weight(torch), _input(torch)
    with torch.autocast("cpu", cache_enabled=False):
        before = x @ w.t()
        with torch.no_grad():
            w.add_(1)
        after = x @ w.t()
    return before, after


def under_no_grad(torch):
    w, x = _weight(torch), _input(torch)
    with torch.autocast("cpu"):
        with torch.no_grad():
            y = torch.nn.functional.linear(x, w)
        torch.clear_autocast_cache()
        z = torch.nn.functional.linear(x, w)
    return y.requires_grad, z.requires_grad, y.dtype


def custom_functions(torch):
    seen = []

    class Multiply(torch.autograd.Function):
        @staticmethod
        @torch.amp.custom_fwd(device_type="cpu")
        def forward(ctx, a, b):
            ctx.save_for_backward(a, b)
            seen.append(torch.is_autocast_enabled("cpu"))
            return a.mm(b)

        @staticmethod
        @torch.amp.custom_bwd(device_type="cpu")
        def backward(ctx, g):
            a, b = ctx.saved_tensors
            seen.append(torch.is_autocast_enabled("cpu"))
            return g.mm(b.t()), a.t().mm(g)

    a, b = _weight(torch), _weight(torch).detach().t().contiguous().requires_grad_()
    with torch.autocast("cpu"):
        y = Multiply.apply(a, b)
    y.sum().backward()
    return seen, y.dtype, a.grad


def custom_function_that_casts(torch):
    seen = []

    class Multiply(torch.autograd.Function):
        @staticmethod
        @torch.amp.custom_fwd(device_type="cpu", cast_inputs=torch.float32)
        def forward(ctx, a, b):
            ctx.save_for_backward(a, b)
            seen.append((a.dtype, torch.is_autocast_enabled("cpu")))
            return a.mm(b)

        @staticmethod
        @torch.amp.custom_bwd(device_type="cpu")
        def backward(ctx, g):
            a, b = ctx.saved_tensors
            seen.append(torch.is_autocast_enabled("cpu"))
            return g.mm(b.t()), a.t().mm(g)

    a = _weight(torch)
    b = _weight(torch).detach().t().contiguous().bfloat16().requires_grad_()
    with torch.autocast("cpu"):
        y = Multiply.apply(a, b)
    y.sum().backward()
    return seen, y.dtype, a.grad, b.grad


# ---- GradScaler ----------------------------------------------------------------------------------


def _training(torch, gradients, **options):
    """Steps with given gradients: scale, tracker and parameter after each."""
    scaler = torch.amp.GradScaler("cpu", **options)
    w = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.125)
    seen = []
    for g in gradients:
        optimizer.zero_grad()
        scaler.scale((w * torch.tensor([g, 1.0])).sum()).backward()
        scaler.step(optimizer)
        scaler.update()
        seen.append((scaler.get_scale(), scaler._get_growth_tracker(), w.detach().clone()))
    return seen, scaler.state_dict()


def scaler_grows(torch):
    return _training(torch, [0.5] * 5, growth_interval=2)


def scaler_backs_off(torch):
    inf, nan = float("inf"), float("nan")
    return _training(torch, [0.5, inf, 0.5, nan, 0.5, 0.5, 0.5], growth_interval=3)


def scaler_overflow_by_scale(torch):
    return _training(torch, [1.0, 1.0, 1.0], init_scale=2.0**128 * 0.999, growth_interval=1)


def scaler_factors(torch):
    return _training(
        torch, [0.5, float("inf"), 0.5, 0.5], init_scale=64.0, growth_factor=3.0,
        backoff_factor=0.25, growth_interval=2,
    )  # fmt: skip


def scaler_defaults(torch):
    s = torch.amp.GradScaler("cpu")
    return [
        s.get_scale(), s.get_growth_factor(), s.get_backoff_factor(), s.get_growth_interval(),
        s.is_enabled(), s.state_dict(),
    ]  # fmt: skip


def scaler_setters(torch):
    s = torch.amp.GradScaler("cpu")
    s.set_growth_factor(4.0)
    s.set_backoff_factor(0.1)
    s.set_growth_interval(7)
    return s.state_dict()


def scaler_cuda_is_disabled(torch):
    s = torch.amp.GradScaler()
    x = torch.ones(1)
    return s.is_enabled(), s.scale(x) is x, s.get_scale(), s.state_dict()


def scaler_disabled(torch):
    s = torch.amp.GradScaler("cpu", enabled=False)
    w = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.5)
    s.scale(w.sum()).backward()
    s.unscale_(optimizer)
    s.step(optimizer)
    s.update()
    s.load_state_dict({})
    return w, s.get_scale()


def scaler_scales_containers(torch):
    s = torch.amp.GradScaler("cpu", init_scale=4.0)
    a = torch.ones(1)
    lists = s.scale([a, (a, a * 2)])
    return lists, type(lists[1]).__name__, [t for t in s.scale(t for t in (a, a))]


def scaler_refuses_numbers(torch):
    torch.amp.GradScaler("cpu").scale(3.0)


def scaler_unscale(torch):
    s = torch.amp.GradScaler("cpu", init_scale=8.0)
    w = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.5)
    s.scale(w.sum()).backward()
    before = w.grad.clone()
    s.unscale_(optimizer)
    after = w.grad.clone()
    torch.nn.utils.clip_grad_norm_([w], 0.5)
    s.step(optimizer)
    return before, after, w


def scaler_unscale_twice(torch):
    s, optimizer = _scaled(torch)
    s.unscale_(optimizer)
    s.unscale_(optimizer)


def scaler_unscale_after_step(torch):
    s, optimizer = _scaled(torch)
    s.step(optimizer)
    s.unscale_(optimizer)


def scaler_step_twice(torch):
    s, optimizer = _scaled(torch)
    s.step(optimizer)
    s.step(optimizer)


def scaler_step_without_scale(torch):
    s = torch.amp.GradScaler("cpu")
    s.step(torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0))


def scaler_update_without_step(torch):
    s, _ = _scaled(torch)
    s.update()


def scaler_step_without_gradients(torch):
    s = torch.amp.GradScaler("cpu")
    s.scale(torch.ones(1))
    s.step(torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0))


def scaler_closure(torch):
    s, optimizer = _scaled(torch)
    s.step(optimizer, closure=lambda: 1)


def _scaled(torch):
    s = torch.amp.GradScaler("cpu")
    w = torch.ones(2, requires_grad=True)
    s.scale(w.sum()).backward()
    return s, torch.optim.SGD([w], lr=0.5)


def scaler_half_precision_gradients(torch):
    s = torch.amp.GradScaler("cpu", init_scale=2.0)
    w = torch.ones(2, dtype=torch.float16, requires_grad=True)
    s.scale(w.sum()).backward()
    s.unscale_(torch.optim.SGD([w], lr=0.5))


def scaler_new_scale(torch):
    s, _ = _scaled(torch)
    s.update(16.0)
    first = s.get_scale()
    s.update(torch.tensor(32.0))
    return first, s.get_scale()


def scaler_state_round_trip(torch):
    s = torch.amp.GradScaler("cpu", init_scale=4.0, growth_interval=5)
    w = torch.ones(1, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.5)
    for _ in range(3):
        s.scale(w.sum()).backward()
        s.step(optimizer)
        s.update()
    other = torch.amp.GradScaler("cpu")
    other.load_state_dict(s.state_dict())
    return other.state_dict(), other.get_scale()


def scaler_empty_state(torch):
    torch.amp.GradScaler("cpu").load_state_dict({})


def scaler_pickles(torch):
    import copy
    import pickle

    s, optimizer = _scaled(torch)
    s.step(optimizer)
    s.update()
    return pickle.loads(pickle.dumps(s)).state_dict(), copy.deepcopy(s).get_scale()


def scaler_two_optimizers(torch):
    s = torch.amp.GradScaler("cpu", init_scale=4.0)
    a, b = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)
    first, second = torch.optim.SGD([a], lr=0.5), torch.optim.Adam([b], lr=0.5)
    s.scale(a * float("inf") + b).backward()
    s.step(first)
    s.step(second)
    s.update()
    return a, b, s.get_scale()


def scaler_bad_growth(torch):
    torch.amp.GradScaler("cpu", growth_factor=1.0)


def scaler_bad_backoff(torch):
    torch.amp.GradScaler("cpu", backoff_factor=1.0)


def small_gradients_survive(torch):
    """fp16 ends at 6e-8: without a scale these gradients are zero."""
    seen = []
    for scale in (1.0, 2.0**16):
        x = torch.full((4,), 1e-3, dtype=torch.float16, requires_grad=True)
        y = (x * torch.tensor(1e-5, dtype=torch.float16)).sum().float() * scale
        y.backward()
        seen.append(x.grad.float() / scale)
        z = torch.full((4,), 1e-3, dtype=torch.float16, requires_grad=True)
        ((z * 1e-2).float() * 1e-6 * scale).sum().backward()
        seen.append(z.grad.float() / scale)
    return seen


def _operands(torch):
    a = torch.linspace(0.137, 1.731, 16).reshape(4, 4)
    made = {
        "a": a, "b": a + 1, "t": torch.linspace(0.1, 1.7, 64).reshape(4, 4, 4),
        "out": torch.zeros(4, 4), "rows": torch.zeros(8, 4), "vector": torch.zeros(4),
        "scalar": torch.zeros(()), "batch": torch.zeros(4, 4, 4),
    }  # fmt: skip
    made |= {f"{name}_low": value.to(torch.bfloat16) for name, value in made.items()}
    made |= {"p": a + 4 * torch.eye(4), "i": torch.tensor([0, 2, 1, 3])}
    return made | {"complex": torch.zeros(4, 4, dtype=torch.complex64)}


def _written(torch, expressions):
    """What in-place and out= forms write under autocast: type, whether it is the same without."""
    found = {}
    for expression in expressions:
        try:
            with torch.autocast("cpu", dtype=torch.bfloat16):
                result = eval(expression, {"torch": torch}, _operands(torch))
        except Exception as problem:
            found[expression] = type(problem).__name__
            continue
        plain = eval(expression, {"torch": torch}, _operands(torch))
        same = result.dtype == plain.dtype and torch.equal(result, plain)
        found[expression] = str(result.dtype), bool(same), float(result.abs().sum())
    return found


def out_forms_of_products(torch):
    return _written(torch, (
        "torch.mm(a, b, out=out)", "torch.matmul(a, b, out=out)", "torch.matmul(t, b, out=batch)",
        "torch.bmm(t, t, out=batch)", "torch.addmm(a, a, b, out=out)",
        "torch.addbmm(a, t, t, out=out)", "torch.baddbmm(t, t, t, out=batch)",
        "torch.linalg.vecdot(a, b, out=vector)", "torch.linalg.multi_dot([a, b], out=out)",
        "torch.mm(a_low, b_low, out=out_low)",
        "torch.bmm(t_low, t_low, out=batch_low)", "torch.mm(a, b, out=out_low)",
        "torch.mm(a_low, b_low, out=out)", "torch.mm(a, b_low, out=out)",
        "torch.matmul(a, b, out=out_low)", "torch.addmm(a, a, b, out=out_low)",
        "torch.addmm(a_low, a_low, b, out=out)", "torch.addbmm(a, t, t, out=out_low)",
        "torch.baddbmm(t, t, t, out=batch_low)", "torch.linalg.vecdot(a, b, out=vector_low)",
        "torch.tensordot(a, b, 1, out=out)", "torch.inner(a, b, out=out)",
        "torch.linalg.matrix_power(a, 3, out=out)",
    ))  # fmt: skip


def out_forms_of_float32_functions(torch):
    return _written(torch, (
        "torch.prod(a_low, 0, out=vector_low)", "torch.prod(a_low, 0, out=vector)",
        "torch.quantile(a, 0.5, out=scalar)", "torch.quantile(a_low, 0.5, out=scalar_low)",
        "torch.linalg.inv(p, out=out)", "torch.linalg.cholesky(p, out=out)",
        "torch.fft.fft(a, out=complex)", "torch.fft.fft(a_low, out=complex)",
        "torch.polar(a, b, out=complex)", "torch.polar(a_low, b_low, out=complex)",
    ))  # fmt: skip


def out_forms_of_promoting_functions(torch):
    return _written(torch, (
        "torch.cat([a, b_low], out=rows)", "torch.cat([a, b_low], out=rows_low)",
        "torch.cat([a_low, b_low], out=rows)", "torch.stack([a_low, b_low])",
        "torch.index_copy(a, 0, i, b_low, out=out)",
        "torch.index_copy(a_low, 0, i, b_low, out=out_low)",
    ))  # fmt: skip


def in_place_forms(torch):
    return _written(torch, (
        "a.addmm_(a.clone(), b)", "a.addmm_(a_low, b_low)", "a_low.addmm_(a, b)",
        "a_low.addmm_(out_low, b_low)", "a.addbmm_(t, t)", "a.addbmm_(t_low, t_low)",
        "batch.baddbmm_(t, t)", "batch.baddbmm_(t_low, t_low)", "a.index_copy_(0, i, b)",
        "a.index_copy_(0, i, b_low)", "a_low.index_copy_(0, i, b)", "a.add_(b_low)",
        "a_low.mul_(b)", "a.copy_(b_low)", "vector.addmv_(a, b[0])", "a.addr_(a_low[0], b_low[0])",
    ))  # fmt: skip
