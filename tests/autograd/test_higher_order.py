"""SPEC rows: higher order, transforms, forward mode, composition."""

import numpy as np
import pytest

import chainrule as torch
import chainrule.autograd.forward_ad as fwad
from chainrule.func import (
    grad,
    grad_and_value,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    linearize,
    vjp,
    vmap,
)


def t(values):
    return torch.tensor(values, dtype=torch.float64)


def close(a, b, tol=1e-10):
    np.testing.assert_allclose(np.asarray(a.detach()), np.asarray(b), rtol=tol, atol=tol)


def f(x):
    return (x.sin() * x * x).sum()


X = [0.3, -1.2, 2.0]
x0 = np.array(X)
F1 = x0 * x0 * np.cos(x0) + 2 * x0 * np.sin(x0)
F2 = 4 * x0 * np.cos(x0) + (2 - x0 * x0) * np.sin(x0)
F3 = 6 * np.cos(x0) - 6 * x0 * np.sin(x0) - x0 * x0 * np.cos(x0)


def test_create_graph_to_third_order():
    x = t(X).requires_grad_()
    (g1,) = torch.autograd.grad(f(x), x, create_graph=True)
    (g2,) = torch.autograd.grad(g1.sum(), x, create_graph=True)
    (g3,) = torch.autograd.grad(g2.sum(), x)
    close(g1, F1)
    close(g2, F2)
    close(g3, F3)


def total(g):
    return lambda x: g(x).sum()


@pytest.mark.parametrize("name", ["grad(grad)", "jvp(grad)", "grad(jvp)", "jvp(jvp)",
                                  "jacrev(jacfwd)", "jacfwd(jacrev)", "jacfwd(jacfwd)",
                                  "jacrev(jacrev)", "hessian", "vmap(grad)"])  # fmt: skip
def test_compositions_agree_on_the_second_derivative(name):
    x, ones = t(X), t([1.0, 1, 1])
    along = lambda h: jvp(h, (x,), (ones,))[1]  # noqa: E731
    if name == "grad(grad)":
        close(grad(total(grad(f)))(x), F2)
    elif name == "jvp(grad)":
        close(along(grad(f)), F2)
    elif name == "grad(jvp)":
        close(grad(lambda x: jvp(f, (x,), (ones,))[1])(x), F2)
    elif name == "jvp(jvp)":
        assert along(lambda x: jvp(f, (x,), (ones,))[1]).item() == pytest.approx(F2.sum())
    elif name == "vmap(grad)":
        close(vmap(grad(grad(lambda s: s.sin() * s * s)))(x), F2)
    elif name == "hessian":
        close(hessian(f)(x), np.diag(F2))
    else:
        outer, inner = ({"jacrev": jacrev, "jacfwd": jacfwd}[n.strip(")")] for n in name.split("("))
        close(outer(inner(f))(x), np.diag(F2))


def test_third_order_by_three_different_levels():
    x, ones = t(X), t([1.0, 1, 1])
    close(jvp(lambda x: grad(total(grad(f)))(x), (x,), (ones,))[1], F3)
    close(vmap(grad(lambda s: jvp(grad(lambda u: u.sin() * u * u), (s,), (t(1.0),))[1]))(x), F3)


def test_perturbations_of_different_levels_are_not_confused():
    # d/dx [x * d/dy (x + y)] = 1, whatever the modes
    one = t(1.0)
    assert grad(lambda x: x * grad(lambda y: x + y)(one))(one).item() == 1
    assert jvp(lambda x: x * jvp(lambda y: x + y, (one,), (one,))[1], (one,), (one,))[1].item() == 1
    assert jvp(lambda x: x * grad(lambda y: x + y)(one), (one,), (one,))[1].item() == 1
    assert grad(lambda x: x * jvp(lambda y: x + y, (one,), (one,))[1])(one).item() == 1
    # d/dx [x * d/dy (x * y)] at x: d/dx x^2 = 2x
    assert grad(lambda x: x * grad(lambda y: x * y)(one))(t(3.0)).item() == 6
    assert jvp(lambda x: x * jvp(lambda y: x * y, (one,), (one,))[1], (t(3.0),), (one,))[1] == 6


def test_per_example_gradients():
    rng = np.random.default_rng(0)
    w, xs, ys = (t(rng.normal(size=s)) for s in [(4,), (5, 4), (5,)])

    def loss(w, x, y):
        return ((x @ w).tanh() - y).pow(2)

    made = vmap(grad(loss), in_dims=(None, 0, 0))(w, xs, ys)
    for k in range(5):
        wk = w.clone().requires_grad_()
        loss(wk, xs[k], ys[k]).backward()
        close(made[k], wk.grad.numpy())


def test_grad_outside_vmap_sums_over_the_batch():
    xs = t(np.arange(6.0).reshape(2, 3))
    w = t([1.0, 2, 3]).requires_grad_()
    vmap(lambda x: (w * x).sum())(xs).sum().backward()
    close(w.grad, xs.sum(0).numpy())


def test_nested_vmap():
    a, b = t(np.arange(3.0)), t(np.arange(4.0))
    made = vmap(lambda x: vmap(lambda y: x * 10 + y)(b))(a)
    close(made, 10 * np.arange(3.0)[:, None] + np.arange(4.0))


def test_vmap_in_and_out_dims():
    x = t(np.arange(12.0).reshape(3, 4))
    made = vmap(lambda c: c * 2, in_dims=1, out_dims=1)(x)
    close(made, 2 * np.arange(12.0).reshape(3, 4))
    made = vmap(lambda p: p["a"] + p["b"], in_dims=({"a": 0, "b": None},))({"a": x, "b": t(1.0)})
    close(made, np.arange(12.0).reshape(3, 4) + 1)
    close(vmap(lambda r: r.sum(), chunk_size=2)(x), x.sum(1).numpy())


def test_vmap_refuses_item_and_branches():
    with pytest.raises(RuntimeError, match=r"vmap over calling .item\(\)"):
        vmap(lambda x: x * x.sum().item())(torch.ones(3, 2))
    with pytest.raises(RuntimeError, match="data-dependent control flow"):
        vmap(lambda x: x if x.sum() > 0 else -x)(torch.ones(3, 2))


def test_linearize_runs_the_function_once():
    calls = []

    def g(x):
        calls.append(1)
        return x.sin() * x

    value, push = linearize(g, t(X))
    for k in range(3):
        e = np.eye(3)[k]
        close(push(t(e)), e * (np.cos(x0) * x0 + np.sin(x0)))
    assert len(calls) == 1
    close(value, np.sin(x0) * x0)


def test_vjp_and_aux_and_argnums():
    def g(a, b):
        return a * b, {"sum": a + b}

    value, pull, aux = vjp(g, t([1.0, 2]), t([3.0, 4]), has_aux=True)
    ga, gb = pull(t([1.0, 1]))
    close(value, [3, 8])
    close(ga, [3, 4])
    close(gb, [1, 2])
    close(aux["sum"], [4, 6])
    both = grad(lambda a, b: (a * a * b).sum(), argnums=(0, 1))(t([1.0, 2]), t([3.0, 4]))
    close(both[0], [6, 16])
    close(both[1], [1, 4])
    g1, v1 = grad_and_value(lambda d: (d["x"] ** 2).sum())({"x": t([3.0])})
    assert g1["x"].item() == 6 and v1.item() == 9


def test_dual_level_by_hand():
    with fwad.dual_level():
        d = fwad.make_dual(t(X), t([1.0, 1, 1]))
        primal, tangent = fwad.unpack_dual(f(d))
        assert primal.item() == pytest.approx(float((np.sin(x0) * x0 * x0).sum()))
        assert tangent.item() == pytest.approx(F1.sum())
    with pytest.raises(RuntimeError, match="no level exists"):
        fwad.make_dual(t(X), t(X))


def test_forward_over_reverse_with_dual_numbers():
    x = t(X).requires_grad_()
    with fwad.dual_level():
        d = fwad.make_dual(x, t([1.0, 1, 1]))
        (g,) = torch.autograd.grad(f(d), x)
        close(fwad.unpack_dual(g).primal, F1)
        close(fwad.unpack_dual(g).tangent, F2)


def test_reverse_over_forward_with_dual_numbers():
    x = t(X).requires_grad_()
    with fwad.dual_level():
        tangent = fwad.unpack_dual(f(fwad.make_dual(x, t([1.0, 1, 1])))).tangent
        tangent.backward()
    close(x.grad, F2)


def test_forward_mode_memory_is_constant_in_the_length_of_the_program():
    import gc
    import weakref

    alive = []

    def recurrence(x):
        sampled = []
        for step in range(100_000):
            x = x * 0.999 + 0.001
            if step % 1000 == 0:
                sampled += [weakref.ref(x), weakref.ref(x._tangent)]
        alive.extend(r for r in sampled if r() is not None)
        return x

    one = torch.ones(1)
    gc.disable()
    try:
        value, tangent = jvp(recurrence, (one,), (one,))
    finally:
        gc.enable()
    assert not alive  # nothing of the way is kept, without the garbage collector's help
    assert tangent.item() == pytest.approx(0.999**100_000, abs=1e-6) and value.item() > 0.99


def test_in_place_inside_transforms():
    def g(x):
        y = x.clone()
        y[0] = x[1] * 3
        tail = y[1:]
        tail.mul_(2)
        return (y * y).sum()

    x = t([1.0, 2, 3])
    expected = [0.0, 52, 24]
    close(grad(g)(x), expected)
    close(jacfwd(g)(x), expected)
    leaf = x.clone().requires_grad_()
    g(leaf).backward()
    close(leaf.grad, expected)
    close(vmap(g)(torch.stack([x, 2 * x])), [g(x).item(), g(2 * x).item()])


def test_tensors_made_inside_a_transform_can_be_written():
    def g(x):
        out = torch.zeros(3, dtype=torch.float64)
        out[0] = x[0] * 2
        out[1] = x[1]
        return out.sum()

    close(grad(g)(t([1.0, 2, 3])), [2, 1, 0])
    assert jvp(g, (t([1.0, 2, 3]),), (t([1.0, 1, 1]),))[1].item() == 3


def test_wgan_gradient_penalty():
    rng = np.random.default_rng(0)
    w = t(rng.normal(size=(4, 3))).requires_grad_()
    v = t(rng.normal(size=(3,))).requires_grad_()
    x = t(rng.normal(size=(5, 4))).requires_grad_()

    def penalty(w, v):
        score = (x @ w).tanh() @ v
        (g,) = torch.autograd.grad(score.sum(), x, create_graph=True)
        return ((g.norm(dim=1) - 1) ** 2).mean()

    penalty(w, v).backward()
    eps = 1e-6
    for p in (w, v):
        numeric = np.zeros(tuple(p.shape))
        for idx in np.ndindex(*p.shape):
            with torch.no_grad():
                p[idx] += eps
            up = penalty(w, v).item()
            with torch.no_grad():
                p[idx] -= 2 * eps
            down = penalty(w, v).item()
            with torch.no_grad():
                p[idx] += eps
            numeric[idx] = (up - down) / (2 * eps)
        np.testing.assert_allclose(p.grad.numpy(), numeric, rtol=1e-5, atol=1e-8)


def test_maml_inner_step():
    w = t([1.0, -2.0]).requires_grad_()
    x = t([0.5, 1.5])

    def task(w):
        return ((w * x).sum() - 1).pow(2)

    (g,) = torch.autograd.grad(task(w), w, create_graph=True)
    outer = task(w - 0.1 * g)
    outer.backward()
    # w' = (I - 0.2 x x^T) w + 0.2 x;  d outer/dw = (I - 0.2 x x^T) 2 (x.w' - 1) x
    A = np.eye(2) - 0.2 * np.outer(x.numpy(), x.numpy())
    inner = A @ np.array([1.0, -2.0]) + 0.2 * x.numpy()
    expected = A @ (2 * (x.numpy() @ inner - 1) * x.numpy())
    close(w.grad, expected)


def test_newton_cg_by_hessian_vector_products():
    from chainrule.autograd.functional import hvp

    target = t([1.0, -2.0, 3.0])

    def energy(x):
        return ((x - target) ** 2).sum() + ((x - target) ** 4).sum()

    x = t([0.0, 0.0, 0.0])
    for _ in range(30):
        (g,) = torch.autograd.grad(energy(x.requires_grad_()), x)
        x = x.detach()
        step, r = torch.zeros(3, dtype=torch.float64), -g
        p = r.clone()
        for _ in range(3):
            rr = (r * r).sum()
            if rr.item() < 1e-24:
                break
            hp = hvp(energy, x, p)[1]
            alpha = rr / (p * hp).sum()
            step, new_r = step + alpha * p, r - alpha * hp
            p = new_r + ((new_r * new_r).sum() / rr) * p
            r = new_r
        x = x + step
    close(x, target.numpy(), 1e-8)


@pytest.mark.parametrize("transform", ["grad", "jvp", "vmap"])
def test_a_captured_tensor_cannot_be_changed_and_keeps_its_value(transform):
    captured = torch.zeros(3, dtype=torch.float64)
    x = t([1.0, 2, 3])

    def f(x):
        captured.add_(x)
        return x.sum()

    reason = "has more elements" if transform == "vmap" else "would mutate a captured Tensor"
    with pytest.raises(RuntimeError, match=reason):
        if transform == "grad":
            grad(f)(x)
        elif transform == "jvp":
            jvp(f, (x,), (x,))
        else:
            vmap(f)(torch.stack([x, x]))
    assert type(captured) is torch.Tensor and captured.tolist() == [0, 0, 0]


def test_writes_inside_a_dual_level_stay_without_their_tangent():
    kept = torch.zeros(3, dtype=torch.float64)
    with fwad.dual_level():
        kept.add_(fwad.make_dual(t(X), t(X)))
        assert fwad.unpack_dual(kept).tangent is not None
    assert type(kept) is torch.Tensor and kept.tolist() == X
