"""Half precision is computed in float32 and rounded once: forward, backward, compiled."""

import numpy as np
import pytest

import chainrule as torch
import chainrule.nn.functional as F

HALVES = (torch.float16, torch.bfloat16)


def rounded(wide, dtype):
    return torch.from_numpy(np.asarray(wide, np.float32)).to(dtype)


def half_and_single(dtype, n=2000, seed=0):
    """Numbers of a half type, as it and as float32."""
    numbers = np.random.default_rng(seed).standard_normal(n).astype(np.float32) * 3
    half = torch.from_numpy(numbers).to(dtype)
    return half, half.float()


FUNCTIONS = {
    "hardswish": F.hardswish,
    "gelu": F.gelu,
    "silu": F.silu,
    "mish": F.mish,
    "softsign": F.softsign,
    "tanhshrink": F.tanhshrink,
    "glu": F.glu,
    "cube": lambda x: x**3,
    "sinc": torch.sinc,
    "logcosh": lambda x: torch.logaddexp(x, torch.zeros_like(x)),
    "mean": lambda x: x.reshape(20, 100).mean(0),
    "var": lambda x: x.reshape(20, 100).var(1),
    "layer_norm": lambda x: F.layer_norm(x.reshape(20, 100), (100,)),
    "softmax": lambda x: x.reshape(20, 100).softmax(1),
    "trapezoid": lambda x: torch.trapezoid(x.reshape(20, 100)),
    "norm": lambda x: x.reshape(20, 100).norm(dim=0),
}


@pytest.mark.parametrize("dtype", HALVES, ids=str)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_are_those_of_float32_rounded_once(name, dtype):
    half, single = half_and_single(dtype)
    found, exact = FUNCTIONS[name](half), FUNCTIONS[name](single)
    assert found.dtype is dtype
    assert torch.equal(found, exact.to(dtype))


@pytest.mark.parametrize("dtype", HALVES, ids=str)
@pytest.mark.parametrize("name", ["hardswish", "gelu", "mish", "cube", "sinc", "softsign", "glu"])
def test_gradients_are_those_of_float32_rounded_once(name, dtype):
    half, single = half_and_single(dtype)
    g, wide_g = half_and_single(dtype, seed=1)
    grads = []
    for x, direction in ((half, g), (single, wide_g)):
        x.requires_grad_()
        y = FUNCTIONS[name](x)
        grads.append(torch.autograd.grad(y, x, direction[: y.numel()])[0])
    assert grads[0].dtype is dtype
    assert torch.equal(grads[0], grads[1].to(dtype))


@pytest.mark.parametrize("transform", ["jvp", "create_graph", "vmap", "compile"])
@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_every_way_to_a_derivative_rounds_once(transform, dtype):
    x, single = half_and_single(dtype, 64)
    t, wide_t = half_and_single(dtype, 64, seed=1)
    inside = single.abs() < 3
    exact = torch.where(inside, wide_t * (single / 3 + 0.5), (single > 0) * wide_t).to(dtype)

    def pulled(x, t):
        y = F.hardswish(x.requires_grad_())
        return torch.autograd.grad(y, x, t, create_graph=transform == "create_graph")[0]

    if transform == "jvp":
        found = torch.func.jvp(F.hardswish, (x,), (t,))[1]
    elif transform == "vmap":
        found = torch.func.vmap(lambda x, t: torch.func.vjp(F.hardswish, x)[1](t)[0])(x, t)
    elif transform == "compile":
        compiled = torch.compile(pulled)
        found = [compiled(x, t) for _ in range(3)][-1]
    else:
        found = pulled(x, t).detach()
    assert torch.equal(found, exact)


def test_second_derivatives_of_half_precision_flow():
    x = torch.tensor([0.5, -1.5], dtype=torch.bfloat16, requires_grad=True)
    (g,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
    (h,) = torch.autograd.grad(g.sum(), x)
    assert h.tolist() == [3.0, -9.0]


# ---- numbers beside half precision ---------------------------------------------------------------

SCALED = {
    "x * s": lambda x, s: x * s,
    "s * x": lambda x, s: s * x,
    "mul_": lambda x, s: x.clone().mul_(s),
    "x / (1 / s)": lambda x, s: x / (1 / s),
    "addcmul": lambda x, s: torch.addcmul(torch.zeros_like(x), x, torch.ones_like(x), value=s),
    "addcdiv": lambda x, s: torch.addcdiv(torch.zeros_like(x), x, torch.ones_like(x), value=s),
    "0-dim": lambda x, s: x * torch.tensor(s),
    "compiled": lambda x, s: [torch.compile(lambda x: x * s)(x) for _ in range(2)][-1],
}


@pytest.mark.parametrize("name", SCALED)
def test_a_number_is_not_rounded_before_it_is_used(name):
    x = torch.tensor([0.003, 0.0], dtype=torch.float16)
    assert SCALED[name](x, 1e6).tolist() == [3000.0, 0.0]
    third = torch.tensor([2.5], dtype=torch.bfloat16)
    assert SCALED[name](third, 1 / 3).item() == rounded(2.5 / 3, torch.bfloat16).item()


def test_numbers_are_rounded_where_pytorch_rounds_them():
    x = torch.tensor([0.1], dtype=torch.bfloat16)
    assert (x == 0.1).item()  # compared in bfloat16
    assert (x - 0.1).item() == 0.0
    y = torch.tensor([100.0], dtype=torch.float16)
    held = rounded(100.0 ** float(np.float16(2.7)), torch.float16).item()
    assert (y**2.7).item() == (y ** torch.tensor(2.7)).item() == held


def test_a_weight_of_lerp_keeps_its_digits():
    a, b = torch.tensor([0.0], dtype=torch.bfloat16), torch.tensor([300.0], dtype=torch.bfloat16)
    assert torch.lerp(a, b, 0.337).item() == rounded(300 * 0.337, torch.bfloat16).item()
    assert a.clone().lerp_(b, 0.337).item() == rounded(300 * 0.337, torch.bfloat16).item()


def test_alpha_is_multiplied_and_added_before_rounding():
    x = torch.tensor([1.0], dtype=torch.float16)
    other = torch.tensor([1.0009765625], dtype=torch.float16)  # times 3 is no float16
    exact = rounded(1 + 3 * 1.0009765625, torch.float16)
    assert torch.add(x, other, alpha=3).item() == exact.item()
    assert x.clone().add_(other, alpha=3).item() == exact.item()
    huge = torch.tensor([40000.0], dtype=torch.float16)
    assert torch.sub(huge, huge, alpha=2).item() == -40000.0  # 80000 is no float16


REFUSED = {
    "add": lambda x: torch.add(x, x, alpha=1e6),
    "pow": lambda x: x**1e6,
    "clamp": lambda x: x.clamp(-1e6, 1),
    "clamp_": lambda x: x.clamp_(max=7e4),
    "hardtanh": lambda x: F.hardtanh(x, -1e6, 1e6),
    "hardshrink": lambda x: F.hardshrink(x, 1e6),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_number_beyond_the_type_is_refused(name):
    with pytest.raises(RuntimeError, match="without overflow"):
        REFUSED[name](torch.ones(2, dtype=torch.float16))
    assert torch.ones(2, dtype=torch.float16).clamp(max=float("inf")).tolist() == [1, 1]


def test_sums_into_places_round_once():
    x = torch.zeros(1, 4, dtype=torch.bfloat16)
    ones = torch.full((1000, 4), 1.0, dtype=torch.bfloat16)
    index = torch.zeros(1000, dtype=torch.int64)
    assert torch.index_add(x, 0, index, ones)[0, 0].item() == 1000.0  # in bfloat16 steps: 256
    table = torch.zeros(3, 4, dtype=torch.bfloat16, requires_grad=True)
    F.embedding(index, table).sum().backward()
    assert table.grad[0, 0].item() == 1000.0


def test_a_scaled_sum_into_places_rounds_once():
    x = torch.tensor([1.0], dtype=torch.float16)
    other = torch.full((4,), 1.0009765625, dtype=torch.float16)
    found = torch.index_add(x, 0, torch.zeros(4, dtype=torch.int64), other, alpha=3)
    assert found.item() == rounded(1 + 12 * 1.0009765625, torch.float16).item()
    with pytest.raises(RuntimeError, match="without overflow"):
        torch.index_add(x, 0, torch.zeros(4, dtype=torch.int64), other, alpha=1e6)


def test_a_mean_of_many_halves_has_a_gradient():
    x = torch.ones(100_000, dtype=torch.float16, requires_grad=True)
    x.mean().backward()
    assert x.grad[0].item() == rounded(1e-5, torch.float16).item()
