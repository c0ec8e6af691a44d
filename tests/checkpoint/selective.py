"""Programs with selective checkpointing, recorded with PyTorch (see tests/scenario.py)."""

from functools import partial


def _contexts(torch, policy, **options):
    create = torch.utils.checkpoint.create_selective_checkpoint_contexts
    return partial(create, policy, **options)


def _run(torch, function, *args, policy, options=(), **more):
    context_fn = _contexts(torch, policy, **dict(options))
    checkpoint = torch.utils.checkpoint.checkpoint
    return checkpoint(function, *args, use_reentrant=False, context_fn=context_fn, **more)


def _matrix(torch, size=3, grad=True):
    return torch.linspace(-1, 1, size * size).reshape(size, size).requires_grad_(grad)


def _seen(torch, function, *args):
    """The ops a policy is asked about, and what else it is told."""
    names, told = [], []

    def policy(ctx, op, *given, **named):
        names.append(str(op))
        told.append((ctx.is_recompute, [tuple(a.shape) for a in given if hasattr(a, "shape")]))
        return torch.utils.checkpoint.CheckpointPolicy.PREFER_RECOMPUTE

    _run(torch, function, *args, policy=policy).sum().backward()
    return [(n, t) for n, t in zip(names, told, strict=True) if n != "aten.detach.default"]


def ops_of_products(torch):
    def function(x, y):
        return torch.sigmoid(torch.matmul(torch.matmul(x, y), y)) * y

    return _seen(torch, function, _matrix(torch), _matrix(torch))


def ops_of_a_linear_layer(torch):
    linear = torch.nn.Linear(3, 5)
    return [found for found in _seen(torch, linear, _matrix(torch)) if "addmm" in found[0]]


def ops_of_a_linear_layer_without_bias(torch):
    linear = torch.nn.Linear(3, 5, bias=False)
    return [found for found in _seen(torch, linear, _matrix(torch)) if "mm" in found[0]]


def ops_of_one_element(torch):
    def function(x):
        y = (x + 1 - x * 2) / (x.exp() + 3)
        z = y.sin().tanh().pow(2) + y.sigmoid().sqrt().log() - torch.relu(-y)
        return torch.where(z > 0, z, y) + torch.maximum(z, y).abs() + z.clamp(0, 1) + z.pow(y.exp())

    return [name for name, _ in _seen(torch, function, _matrix(torch))]


def ops_of_reductions(torch):
    def function(x):
        whole = x.sum() + x.mean() + x.max() + x.min() + x.norm()
        rows = x.sum(1) + x.mean(1) + x.amax(1) + x.logsumexp(1) + x.var(1) + x.std(1)
        return whole + rows + torch.softmax(x, 1)[0] + torch.log_softmax(x, 1)[1] + x.cumsum(0)

    return [name for name, _ in _seen(torch, function, _matrix(torch))]


def ops_of_shapes(torch):
    def function(x):
        y = torch.cat([x, x.t()]).reshape(2, 9).transpose(0, 1).unsqueeze(0).permute(2, 0, 1)
        return y.clone() + torch.stack([x.view(9), x.flatten()]).expand(2, 2, 9)[0].view(2, 1, 9)

    return [name for name, _ in _seen(torch, function, _matrix(torch))]


def ops_of_a_block(torch):
    block = torch.nn.Sequential(
        torch.nn.LayerNorm(3), torch.nn.Linear(3, 6), torch.nn.GELU(), torch.nn.Linear(6, 3)
    )
    names = [name for name, _ in _seen(torch, block, _matrix(torch))]
    return [name for name in names if name != "aten.t.default"]


def ops_of_attention(torch):
    heads = torch.linspace(-1, 1, 48).reshape(1, 2, 6, 4).requires_grad_()
    attend = torch.nn.functional.scaled_dot_product_attention
    return [name for name, _ in _seen(torch, attend, heads, heads, heads)]


def gradients_with_a_list(torch):
    x, y = _matrix(torch), _matrix(torch)

    def function(x, y):
        return torch.sigmoid(torch.matmul(torch.matmul(x, y), y)) * y

    _run(torch, function, x, y, policy=[torch.ops.aten.mm.default]).sum().backward()
    return x.grad, y.grad


def _drawn_factors(torch, verdict):
    """Whether forward and backward see the same random numbers, which are not restored."""
    x = torch.ones(50, requires_grad=True)
    y = _run(
        torch, lambda t: t * torch.rand(50) * t, x, policy=lambda ctx, op, *args, **kwargs: verdict,
        preserve_rng_state=False,
    )  # fmt: skip
    y.sum().backward()
    return bool(torch.equal(2 * y.detach(), x.grad))


def saved_draws(torch):
    return _drawn_factors(torch, torch.utils.checkpoint.CheckpointPolicy.MUST_SAVE)


def preferably_saved_draws(torch):
    return _drawn_factors(torch, torch.utils.checkpoint.CheckpointPolicy.PREFER_SAVE)


def recomputed_draws(torch):
    return _drawn_factors(torch, torch.utils.checkpoint.CheckpointPolicy.MUST_RECOMPUTE)


def preferably_recomputed_draws(torch):
    return _drawn_factors(torch, torch.utils.checkpoint.CheckpointPolicy.PREFER_RECOMPUTE)


def draws_saved_by_true(torch):
    return _drawn_factors(torch, True)


def draws_recomputed_by_false(torch):
    return _drawn_factors(torch, False)


def every_second_product(torch):
    """A policy with a memory of its own, as training scripts have it."""
    policies = torch.utils.checkpoint.CheckpointPolicy
    count = {"mm": 0}

    def policy(ctx, op, *args, **kwargs):
        if op == torch.ops.aten.mm.default:
            count["mm"] += 1
            if count["mm"] % 2:
                return policies.MUST_SAVE
        return policies.PREFER_RECOMPUTE

    x = _matrix(torch)
    _run(torch, lambda t: ((t @ t).sin() @ t @ t).cos(), x, policy=policy).sum().backward()
    return count, x.grad


def several_results(torch):
    x = _matrix(torch)
    save = torch.utils.checkpoint.CheckpointPolicy.MUST_SAVE

    def function(t):
        values, places = t.max(1)
        normal = torch.nn.functional.layer_norm(t, (3,))
        return values * normal.exp() + places

    _run(torch, function, x, policy=lambda ctx, op, *a, **k: save).sum().backward()
    return x.grad


def views_of_saved_results(torch):
    x = _matrix(torch)
    save = torch.utils.checkpoint.CheckpointPolicy.MUST_SAVE

    def function(t):
        return (t @ t).t()[1:].reshape(6).exp() * t.view(9)[:6]

    _run(torch, function, x, policy=lambda ctx, op, *a, **k: save).sum().backward()
    return x.grad


def nested_selective(torch):
    x = _matrix(torch)
    products = [torch.ops.aten.mm.default]

    def inner(t):
        return (t @ t).sin()

    def outer(t):
        return _run(torch, inner, t.exp(), policy=products) @ t

    _run(torch, outer, x, policy=[torch.ops.aten.exp.default]).sum().backward()
    return x.grad


def without_gradients(torch):
    with torch.no_grad():
        return _run(torch, torch.exp, _matrix(torch), policy=[torch.ops.aten.exp.default])


def second_backward(torch):
    x = _matrix(torch)
    y = _run(torch, lambda t: (t @ t).exp(), x, policy=[torch.ops.aten.mm.default]).sum()
    y.backward(retain_graph=True)
    y.backward()


def second_backward_with_nothing_saved(torch):
    x = _matrix(torch)
    y = _run(torch, lambda t: (t @ t).exp(), x, policy=[torch.ops.aten.sin.default]).sum()
    y.backward(retain_graph=True)
    y.backward()
    return x.grad


def _written_result(torch, **options):
    x = _matrix(torch)

    def function(t):
        product = t @ t
        result = product.sin().exp()
        product.detach().add_(1)
        return result

    _run(
        torch, function, x, policy=[torch.ops.aten.mm.default], options=options
    ).sum().backward()  # fmt: skip
    return x.grad


def written_result(torch):
    return _written_result(torch)


def written_result_allowed(torch):
    return _written_result(torch, allow_cache_entry_mutation=True)


def other_op_the_second_time(torch):
    runs = []

    def function(t):
        runs.append(1)
        return (t.exp() if len(runs) == 1 else t.sin()).cos()

    _run(torch, function, _matrix(torch), policy=[torch.ops.aten.mm.default]).sum().backward()


def more_calls_the_second_time(torch):
    runs = []

    def function(t):
        runs.append(1)
        for _ in runs:
            t = t.exp()  # saves its result only: the op itself is the first to notice
        return t

    _run(torch, function, _matrix(torch), policy=[], early_stop=False).sum().backward()


def packet_in_the_list(torch):
    torch.utils.checkpoint.create_selective_checkpoint_contexts([torch.ops.aten.mm])


def no_policy(torch):
    torch.utils.checkpoint.create_selective_checkpoint_contexts("mm")


def names_of_ops(torch):
    op = torch.ops.aten.add.Tensor
    packet = torch.ops.aten.add
    same = op is torch.ops.aten.add.Tensor and op == torch.ops.aten.add.Tensor
    default = torch.ops.aten.mm.default.name()
    return str(op), repr(op), op.name(), op.__name__, str(packet), repr(packet), same, default


def policies(torch):
    return [(policy.name, policy.value) for policy in torch.utils.checkpoint.CheckpointPolicy]
