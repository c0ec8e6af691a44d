"""The paths of an explanation add up to the gradient: random programs, and every layer."""

import inspect
import math

import numpy as np
import pytest

import chainrule as torch
from chainrule import nn

UNARY = ("sin", "tanh", "sigmoid", "exp", "neg", "relu", "square")


def random_scalar_program(seed):
    rng = np.random.default_rng(seed)
    leaves = [torch.tensor(v, dtype=torch.float64, requires_grad=True) for v in rng.normal(size=3)]
    values = list(leaves)
    for _ in range(int(rng.integers(3, 14))):
        a = values[rng.integers(len(values))]
        b = values[rng.integers(len(values))]
        kind = rng.integers(4)
        if kind == 0:
            made = getattr(a, UNARY[rng.integers(len(UNARY))])()
        elif kind == 1:
            made = a + b
        elif kind == 2:
            made = a * b
        else:
            made = a - 0.5 * b
        values.append(made.clamp(-50, 50) if rng.integers(6) == 0 else made)
    return leaves, sum(values[3:], values[-1])


@pytest.mark.parametrize("seed", range(40))
def test_paths_of_random_scalar_programs_sum_to_the_gradient(seed):
    leaves, y = random_scalar_program(seed)
    used = [x for x in leaves if torch.autograd.grad(y, x, retain_graph=True, allow_unused=True)[0]
            is not None]  # fmt: skip
    for x in used:
        e = torch.explain(y, wrt=x, paths=10_000)
        truth = torch.autograd.grad(y, x, retain_graph=True)[0].item()
        assert len(e.paths) == e.count
        contributions = [p.contribution for p in e.paths]
        total = math.fsum(map(abs, contributions))
        assert math.fsum(contributions) == pytest.approx(truth, rel=1e-9, abs=1e-12 * (1 + total))
        assert e.total_absolute == pytest.approx(total, rel=1e-9)
        if total:
            shares = [abs(c) / total for c in contributions if c]
            assert e.entropy == pytest.approx(-sum(s * math.log(s) for s in shares), abs=1e-9)
        assert e.check.ok
        sizes = [abs(c) for c in contributions]
        assert sizes == sorted(sizes, reverse=True) or np.allclose(sizes, sorted(sizes)[::-1])
        product = math.prod(step.multiplier for step in e.chain)
        assert product == pytest.approx(truth, rel=1e-9, abs=1e-12 * (1 + total))


@pytest.mark.parametrize("seed", range(10))
def test_the_strongest_paths_are_those_of_the_full_list(seed):
    leaves, y = random_scalar_program(seed + 100)
    for x in leaves:
        if torch.autograd.grad(y, x, retain_graph=True, allow_unused=True)[0] is None:
            continue
        every = torch.explain(y, wrt=x, paths=10_000)
        few = torch.explain(y, wrt=x, paths=3)
        best = [abs(p.contribution) for p in every.paths[:3]]
        assert [abs(p.contribution) for p in few.paths] == pytest.approx(best)
        rest = math.fsum(p.contribution for p in every.paths[3:])
        assert few.remaining == pytest.approx(rest, rel=1e-6, abs=1e-9 * (1 + every.total_absolute))


@pytest.mark.parametrize("seed", range(12))
def test_paths_of_random_tensor_programs_sum_to_the_gradient(seed):
    rng = np.random.default_rng(seed)
    x = torch.tensor(rng.normal(size=(3, 3)), requires_grad=True)
    values = [x]
    for _ in range(5):
        a, b = values[rng.integers(len(values))], values[rng.integers(len(values))]
        kind = rng.integers(5)
        values.append(
            a @ b if kind == 0 else a.tanh() if kind == 1 else a + b if kind == 2
            else a.softmax(1) * b if kind == 3 else torch.cat(a.chunk(3, 0)[::-1])
        )  # fmt: skip
    y = (values[-1] * values[1]).sum()
    e = torch.explain(y, wrt=x, paths=5000)
    assert len(e.paths) == e.count
    total = sum(p.contribution.numpy() for p in e.paths)
    np.testing.assert_allclose(total, e.gradient.numpy(), rtol=1e-8, atol=1e-9)
    assert e.check.ok and sum(p.share for p in e.paths) == pytest.approx(1)
    few = torch.explain(y, wrt=x, paths=2)
    listed = sum(p.contribution.numpy() for p in few.paths)
    np.testing.assert_allclose(few.remaining.numpy() + listed, e.gradient.numpy(), rtol=1e-8)


def test_1e20_paths_are_counted_ranked_and_summed():
    x = h = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
    for _ in range(70):
        h = 0.25 * h + 0.5 * h
    e = torch.explain(h, wrt=x, paths=4)
    assert e.count == 2**70
    assert [p.contribution for p in e.paths][:2] == pytest.approx([0.5**70, 0.5**69 * 0.25])
    assert e.gradient.item() == pytest.approx(0.75**70)
    assert e.total_absolute == pytest.approx(0.75**70)
    per_step = -(math.log(1 / 3) / 3 + math.log(2 / 3) * 2 / 3)
    assert e.entropy == pytest.approx(70 * per_step)
    assert "1.18e+21" in str(e)


def test_a_long_chain_does_not_recurse():
    x = h = torch.tensor(1.0, dtype=torch.float64, requires_grad=True)
    for _ in range(10_000):
        h = h * 1.00001
    e = torch.explain(h, wrt=x)
    assert len(e.paths[0].links) == 10_000 and e.check.ok
    assert e.paths[0].contribution == pytest.approx(1.00001**10_000)


# ---- every layer ---------------------------------------------------------------------------------

IMAGE, SEQUENCE, ROWS = (2, 4, 8, 8), (2, 4, 16), (3, 6)
ARGUMENTS = {
    "Linear": ((6, 5), ROWS), "LazyLinear": ((5,), ROWS), "Embedding": None, "EmbeddingBag": None,
    "Conv1d": ((4, 3, 3), SEQUENCE), "Conv2d": ((4, 3, 3), IMAGE),
    "ConvTranspose1d": ((4, 3, 3), SEQUENCE), "ConvTranspose2d": ((4, 3, 3), IMAGE),
    "BatchNorm1d": ((6,), ROWS), "BatchNorm2d": ((4,), IMAGE), "LayerNorm": ((6,), ROWS),
    "RMSNorm": ((6,), ROWS), "GroupNorm": ((2, 4), IMAGE), "InstanceNorm2d": ((4,), IMAGE),
    "LocalResponseNorm": ((2,), IMAGE), "MaxPool1d": ((2,), SEQUENCE), "MaxPool2d": ((2,), IMAGE),
    "AvgPool1d": ((2,), SEQUENCE), "AvgPool2d": ((2,), IMAGE), "LPPool2d": ((2, 2), IMAGE),
    "AdaptiveAvgPool2d": ((2,), IMAGE), "AdaptiveMaxPool2d": ((2,), IMAGE),
    "ReflectionPad2d": ((1,), IMAGE), "ZeroPad2d": ((1,), IMAGE), "PixelShuffle": ((2,), IMAGE),
    "Upsample": ((None, 2), IMAGE), "Unfold": ((2,), IMAGE), "Flatten": ((), IMAGE),
    "RNN": ((6, 4), ROWS), "LSTM": ((6, 4), ROWS), "GRU": ((6, 4), ROWS), "RNNCell": ((6, 4), ROWS),
    "LSTMCell": ((6, 4), ROWS), "GRUCell": ((6, 4), ROWS), "Bilinear": ((6, 6, 4), ROWS),
    "TransformerEncoderLayer": ((6, 2, 8, 0.0), ROWS), "CosineSimilarity": ((), ROWS),
}  # fmt: skip
ACTIVATIONS = sorted(
    name
    for name, cls in vars(nn.modules.activation).items()
    if inspect.isclass(cls) and issubclass(cls, nn.Module) and hasattr(nn, name)
    and name not in ("Module", "Threshold", "MultiheadAttention", "Softmax2d", "GLU")
)  # fmt: skip
LAYERS = [n for n, v in ARGUMENTS.items() if v is not None] + ACTIVATIONS


def call(layer, x):
    if isinstance(layer, nn.Bilinear | nn.CosineSimilarity):
        out = layer(x, x * 2)
    else:
        out = layer(x)
    while isinstance(out, tuple):
        out = out[0]
    return out


@pytest.mark.parametrize("name", LAYERS)
def test_paths_through_every_layer_sum_to_the_gradient(name):
    torch.manual_seed(0)
    arguments, shape = ARGUMENTS.get(name) or ((), ROWS)
    arguments = (1,) if "oftm" in name else arguments
    layer = getattr(nn, name)(*arguments).double()
    x = torch.randn(*shape, dtype=torch.float64, requires_grad=True)
    out = call(layer, x)
    loss = (out * torch.randn(*out.shape, dtype=torch.float64)).sum() + (out**2).sum()
    wanted = {"x": x, **dict(layer.named_parameters())}
    found = torch.explain(loss, wrt=wanted, paths=200)
    loss.backward(retain_graph=True)
    for key, tensor in wanted.items():
        e = found[key]
        assert e.check.ok, key
        np.testing.assert_array_equal(e.gradient.numpy(), tensor.grad.numpy())
        if e.count <= len(e.paths):
            total = sum(np.asarray(getattr(p.contribution, "_a", p.contribution)) for p in e.paths)
            np.testing.assert_allclose(total, tensor.grad.numpy(), rtol=1e-8, atol=1e-10)
