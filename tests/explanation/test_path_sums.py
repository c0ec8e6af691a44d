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

ROWS, SEQUENCE, IMAGE, VOLUME = (3, 6), (2, 4, 8), (2, 4, 6, 6), (1, 4, 4, 4, 4)
BY_RANK = {"1d": SEQUENCE, "2d": IMAGE, "3d": VOLUME}
LABELS = torch.tensor([0, 2, 1])


def rows():
    return torch.linspace(-0.9, 1.1, 18, dtype=torch.float64).reshape(3, 6)


# What a layer is made of, by its name or the name without its rank and the word Lazy.
ARGUMENTS = {
    "Linear": (6, 5), "LazyLinear": (5,), "Bilinear": (6, 6, 4), "Conv": (4, 3, 2),
    "ConvTranspose": (4, 3, 2), "LazyConv": (3, 2), "LazyConvTranspose": (3, 2), "BatchNorm": (4,),
    "InstanceNorm": (4,), "SyncBatchNorm": (6,), "LayerNorm": (6,), "RMSNorm": (6,),
    "GroupNorm": (2, 4), "LocalResponseNorm": (2,), "CrossMapLRN2d": (2,), "MaxPool": (2,),
    "AvgPool": (2,), "LPPool": (2, 2), "AdaptiveAvgPool": (2,), "AdaptiveMaxPool": (2,),
    "FractionalMaxPool": (2, 3), "ReflectionPad": (1,), "ReplicationPad": (1,), "ZeroPad": (1,),
    "CircularPad": (1,), "ConstantPad": (1, 0.5), "PixelShuffle": (2,), "PixelUnshuffle": (2,),
    "ChannelShuffle": (2,), "Upsample": (None, 2), "UpsamplingBilinear2d": (None, 2),
    "UpsamplingNearest2d": (None, 2), "Unfold": (2,), "Fold": ((3, 3), 2), "Unflatten": (1, (2, 3)),
    "RNN": (6, 4), "LSTM": (6, 4), "GRU": (6, 4), "RNNCell": (6, 4), "LSTMCell": (6, 4),
    "GRUCell": (6, 4), "MultiheadAttention": (6, 2), "Transformer": (6, 2, 1, 1, 8, 0.0),
    "TransformerEncoderLayer": (6, 2, 8, 0.0), "TransformerDecoderLayer": (6, 2, 8, 0.0),
    "Threshold": (0.1, 0.2), "Softmax": (1,), "Softmin": (1,), "LogSoftmax": (1,),
    "AdaptiveLogSoftmaxWithLoss": (6, 8, [3]), "LinearCrossEntropyLoss": (6, 5),
}  # fmt: skip
SHAPES = {
    **dict.fromkeys(("GroupNorm", "LocalResponseNorm", "PixelShuffle", "ChannelShuffle"), IMAGE),
    **dict.fromkeys(("PixelUnshuffle", "Upsample", "Unfold", "Flatten"), IMAGE),
    "CrossMapLRN2d": IMAGE, "Softmax2d": IMAGE, "Fold": (1, 16, 4), "GLU": ROWS,
}  # fmt: skip
# Layers of several tensors: how they are called with x.
CALLS = {
    "Bilinear": lambda m, x: m(x, x * 2), "CosineSimilarity": lambda m, x: m(x, rows()),
    "PairwiseDistance": lambda m, x: m(x, rows()), "MultiheadAttention": lambda m, x: m(x, x, x),
    "Transformer": lambda m, x: m(x, x * 2), "TransformerDecoderLayer": lambda m, x: m(x, x * 2),
    "MaxUnpool1d": lambda m, x: unpooled(nn.MaxPool1d, m, x),
    "MaxUnpool2d": lambda m, x: unpooled(nn.MaxPool2d, m, x),
    "MaxUnpool3d": lambda m, x: unpooled(nn.MaxPool3d, m, x),
    "BCELoss": lambda m, x: m(x.sigmoid(), rows().sigmoid()),
    "BCEWithLogitsLoss": lambda m, x: m(x, rows().sigmoid()),
    "CTCLoss": lambda m, x: m(
        x.reshape(6, 1, 3).log_softmax(2), torch.tensor([[1, 2]]), torch.tensor([6]),
        torch.tensor([2]),
    ),
    "CosineEmbeddingLoss": lambda m, x: m(x, rows(), torch.tensor([1, -1, 1])),
    "CrossEntropyLoss": lambda m, x: m(x, LABELS), "MultiMarginLoss": lambda m, x: m(x, LABELS),
    "NLLLoss": lambda m, x: m(x.log_softmax(1), LABELS),
    "NLLLoss2d": lambda m, x: m(x.reshape(1, 3, 3, 2), torch.ones(1, 3, 2).long()),
    "GaussianNLLLoss": lambda m, x: m(x, rows(), rows().exp()),
    "HingeEmbeddingLoss": lambda m, x: m(x, rows().sign()),
    "MarginRankingLoss": lambda m, x: m(x, rows(), torch.ones(3, 6)),
    "MultiLabelMarginLoss": lambda m, x: m(x, torch.tensor([[0, 2, -1, 0, 0, 0]] * 3)),
    "MultiLabelSoftMarginLoss": lambda m, x: m(x, rows().sigmoid()),
    "SoftMarginLoss": lambda m, x: m(x, rows().sign()),
    "TripletMarginLoss": lambda m, x: m(x, rows(), x * 2),
    "TripletMarginWithDistanceLoss": lambda m, x: m(x, rows(), x * 2),
    "AdaptiveLogSoftmaxWithLoss": lambda m, x: m(x, LABELS),
    "LinearCrossEntropyLoss": lambda m, x: m(x, LABELS),
    **dict.fromkeys(
        ("MSELoss", "L1Loss", "SmoothL1Loss", "HuberLoss", "KLDivLoss", "PoissonNLLLoss"),
        lambda m, x: m(x, rows()),
    ),
}  # fmt: skip
MADE = {
    "Softmax2d": nn.Softmax2d,
    "TransformerEncoder": lambda: nn.TransformerEncoder(
        nn.TransformerEncoderLayer(6, 2, 8, 0.0), 2, enable_nested_tensor=False
    ),
    "TransformerDecoder": lambda: nn.TransformerDecoder(
        nn.TransformerDecoderLayer(6, 2, 8, 0.0), 2
    ),
    **{f"MaxUnpool{k}d": lambda k=k: getattr(nn, f"MaxUnpool{k}d")(2) for k in (1, 2, 3)},
}
CALLS["TransformerDecoder"] = CALLS["TransformerDecoderLayer"]
# Without a forward of their own, or without a float input (those have a test below).
NOT_CALLED = {
    "Module", "Container", "ModuleDict", "ModuleList", "ParameterDict", "ParameterList",
    "Sequential", "DataParallel", "RNNBase", "RNNCellBase", "Embedding", "EmbeddingBag",
}  # fmt: skip
LAYERS = sorted(
    name
    for name in dir(nn)
    if inspect.isclass(getattr(nn, name)) and issubclass(getattr(nn, name), nn.Module)
    and name not in NOT_CALLED
)  # fmt: skip


def unpooled(pool, layer, x):
    found, places = pool(2, return_indices=True)(x)
    return layer(found, places)


def layer_of(name):
    """The layer and the shape of its input."""
    rank = name[-2:] if name[-2:] in BY_RANK else ""
    stem = name.removesuffix(rank) if rank else name
    shape = SHAPES.get(name) or SHAPES.get(stem) or BY_RANK.get(rank, ROWS)
    if name == "NLLLoss2d":
        shape = ROWS
    if name in MADE:
        return MADE[name](), shape
    plain = stem.removeprefix("Lazy") if "Norm" in stem else stem
    arguments = () if "Lazy" in name and "Norm" in name else None
    if arguments is None:
        arguments = ARGUMENTS.get(name) or ARGUMENTS.get(stem) or ARGUMENTS.get(plain) or ()
    return getattr(nn, name)(*arguments), shape


def first_of(out):
    while isinstance(out, tuple):
        out = out[0]
    return out


def check_sums(loss, wanted):
    found = torch.explain(loss, wrt=wanted, paths=100)
    loss.backward(retain_graph=True)
    for key, tensor in wanted.items():
        e = found[key]
        assert e.check.ok, key
        np.testing.assert_array_equal(e.gradient.numpy(), tensor.grad.numpy())
        if e.count <= len(e.paths):
            total = sum(np.asarray(getattr(p.contribution, "_a", p.contribution)) for p in e.paths)
            np.testing.assert_allclose(total, tensor.grad.numpy(), rtol=1e-8, atol=1e-10)


@pytest.mark.filterwarnings("ignore")  # deprecated layers, reductions, nested tensors
@pytest.mark.parametrize("name", LAYERS)
def test_paths_through_every_layer_sum_to_the_gradient(name):
    torch.manual_seed(0)
    layer, shape = layer_of(name)
    layer = layer.double()
    x = torch.randn(*shape, dtype=torch.float64, requires_grad=True)
    out = first_of(CALLS.get(name, lambda m, x: m(x))(layer, x))
    loss = (out * torch.randn(*out.shape, dtype=torch.float64)).sum() + (out**2).sum()
    used = {
        key: p
        for key, p in layer.named_parameters()
        if torch.autograd.grad(loss, p, retain_graph=True, allow_unused=True)[0] is not None
    }
    check_sums(loss, {"x": x, **used})


@pytest.mark.parametrize("name", ["Embedding", "EmbeddingBag"])
def test_paths_to_a_table_sum_to_the_gradient(name):
    layer = getattr(nn, name)(5, 3).double()
    loss = (layer(torch.tensor([[0, 1], [4, 1]])) ** 2).sum()
    check_sums(loss, {"weight": layer.weight})
