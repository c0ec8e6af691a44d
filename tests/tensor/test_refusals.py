"""Calls that PyTorch refuses and that once gave a result here, function by function."""

import pytest

import chainrule as torch

F = torch.nn.functional
X = torch.ones(3, 4)

SQUARE, VECTOR, EDGES = torch.eye(3), torch.ones(3), torch.tensor([0.0, 1.0, 2.0])

DIFFERENT_TYPES = [
    (lambda: torch.cross(SQUARE, SQUARE.double()), "expected scalar type Float but found Double"),
    (lambda: torch.linalg.cross(SQUARE, SQUARE.long()), "expected scalar type Float but found Lo"),
    (lambda: torch.cdist(SQUARE, SQUARE.double()), "expected scalar type Float but found Double"),
    (lambda: torch.cdist(SQUARE, SQUARE.half()), "expected scalar type Float but found Half"),
    (lambda: torch.cholesky_solve(SQUARE, SQUARE.double()), "Expected b and A to have the same"),
    (lambda: torch.triangular_solve(SQUARE, SQUARE.double()), "Expected b and A to have the same"),
    (
        lambda: torch.linalg.ldl_solve(SQUARE, torch.arange(1, 4).int(), SQUARE.double()),
        "Expected b and A to have the same",
    ),
    (lambda: torch.linalg.householder_product(SQUARE, VECTOR.double()), "tau dtype Double does no"),
    (lambda: torch.ormqr(SQUARE, VECTOR.double(), SQUARE), "Expected input and tau to have the sa"),
    (lambda: torch.ormqr(SQUARE, VECTOR, SQUARE.double()), "Expected input and other to have the"),
    (lambda: torch.histogram(VECTOR, EDGES.double()), "bins tensors should have the same dtype"),
    (lambda: torch.histogram(VECTOR, 3, weight=EDGES.double()), "weight tensor should have the sa"),
    (
        lambda: torch.histogramdd(SQUARE, [2, 2, 2], weight=VECTOR.double()),
        "weight tensor should have the same dtype",
    ),
    (lambda: VECTOR.clone().lerp_(VECTOR.double(), 0.5), "expected dtype float for `end`"),
    (lambda: VECTOR.clone().lerp_(VECTOR.long(), 0.5), "expected dtype float for `end`"),
    (lambda: VECTOR.clone().lerp_(VECTOR, EDGES.double()), "expected dtype float for `weight`"),
    (lambda: torch.lerp(VECTOR, VECTOR, 1j), "without overflow"),
    (lambda: VECTOR.clone().lerp_(VECTOR, 1e39), "without overflow"),
    (lambda: torch.linalg.vecdot(VECTOR, VECTOR.double()), "Expected x and y to have the same dty"),
    (lambda: F.bilinear(VECTOR, VECTOR.double(), SQUARE[None]), "All tensors must have the same"),
    (
        lambda: F.embedding_bag(
            torch.tensor([[0, 1, 2]]), SQUARE, per_sample_weights=EDGES[None].double(), mode="sum"
        ),
        "to have the same type as",
    ),
    (lambda: torch.meshgrid(VECTOR, VECTOR.double(), indexing="ij"), "to have the same dtype"),
    (lambda: torch.cartesian_prod(VECTOR, VECTOR.double()), "to have the same dtype"),
]


@pytest.mark.parametrize(("call", "phrase"), DIFFERENT_TYPES)
def test_types_that_do_not_mix(call, phrase):
    with pytest.raises(RuntimeError, match=phrase):
        call()


def test_a_weight_of_one_number_takes_the_type_of_what_it_weighs():
    assert torch.lerp(VECTOR, EDGES, torch.tensor(1)).tolist() == EDGES.tolist()
    assert VECTOR.clone().lerp_(EDGES, torch.tensor(0.5).double()).tolist() == [0.5, 1.0, 1.5]


REFUSED = [
    (lambda: torch.isclose(X, X, rtol=-0.1), RuntimeError, "rtol must be greater than or equal"),
    (lambda: torch.float_power(2, 3), TypeError, "invalid combination of arguments"),
    (lambda: torch.Tensor.__radd__(2, X), TypeError, "must be Tensor, not int"),
    (lambda: torch.Tensor.__mul__(2, X), TypeError, "must be Tensor, not int"),
    (lambda: torch.cov(X, fweights=torch.ones(4)), RuntimeError, "integral dtype"),
    (lambda: torch.cov(X, fweights=torch.tensor([1, 1, -1, 1])), RuntimeError, "be negative"),
    (lambda: torch.cov(X, aweights=-torch.ones(4)), RuntimeError, "aweights cannot be negative"),
    (lambda: torch.gradient(X, dim=(1, -1)), RuntimeError, "dim 1 appears multiple times"),
    (lambda: X.long().masked_fill(X > 0, torch.tensor(1j)), RuntimeError, "without overflow"),
    (lambda: F.prelu(X, torch.ones(2, 2)), RuntimeError, "scalar or 1D tensor"),
    (lambda: F.prelu(torch.tensor(1.0), torch.ones(2)), RuntimeError, "zero-dim input"),
    (lambda: F.rrelu(X, 0.3, 0.1), RuntimeError, "Lower bound should be less"),
    (lambda: X.narrow(0, torch.tensor(True), 1), RuntimeError, "0-dim integral Tensor"),
    (lambda: X.narrow(0, torch.tensor([0]), 1), RuntimeError, "0-dim integral Tensor"),
    (lambda: X.roll([]), RuntimeError, "`shifts` required"),
    (lambda: torch.tensor(1.0).roll(0, 0), IndexError, "tensor has no dimensions"),
    (lambda: X[0].renorm(1, 0, 1), RuntimeError, "needs at least 2 dimensions"),
    (lambda: X.renorm(-1, 0, 1), RuntimeError, "expected p to be positive"),
    (lambda: torch.t_copy(torch.ones(2, 2, 2)), RuntimeError, "<= 2 dimensions"),
    (lambda: torch.eye(-1), RuntimeError, "n must be greater or equal to 0"),
    (lambda: torch.eye(2, -3), RuntimeError, "m must be greater or equal to 0"),
    (lambda: torch.eye(2.0), TypeError, "must be int, not float"),
    (lambda: torch.arange(float("inf")), RuntimeError, "unsupported range: 0 -> inf"),
    (lambda: torch.arange(0, 4, 0.5, dtype=torch.int64), ValueError, "step must be nonzero"),
    (lambda: torch.linspace(0, 1, 2.5), TypeError, "must be int, not float"),
    (lambda: torch.logspace(0, 1, 2.5), TypeError, "must be int, not float"),
    (lambda: torch.full((2,), None), TypeError, "must be Number, not NoneType"),
    (
        lambda: torch.zeros(2, dtype=torch.float32, out=torch.empty(2, dtype=torch.float64)),
        RuntimeError,
        "does not match dtype of out",
    ),
    (
        lambda: torch.signal.windows.hann(4, layout=torch.sparse_coo),
        ValueError,
        "strided tensors only",
    ),
    (lambda: F.multilabel_margin_loss(torch.ones(0), torch.ones(0)), RuntimeError, "non-empty"),
    (
        lambda: F.multi_margin_loss(X, torch.zeros(2, dtype=torch.int64)),
        RuntimeError,
        "target tensor should be 1-D",
    ),
    (
        lambda: F.multi_margin_loss(X, torch.tensor([0, 1, 2]), weight=X),
        ValueError,
        "weight must be one-dimensional",
    ),
    (lambda: F.batch_norm(X, None, None, training=True, eps=0.0), ValueError, "eps must be pos"),
    (lambda: torch.nn.BatchNorm1d(4, eps=-1.0).eval()(X), ValueError, "eps must be non-negative"),
    (lambda: torch.nn.HuberLoss(delta=1j), TypeError, "delta must be a float or int"),
    (lambda: torch.nn.LSTM(2, 3, bias=1), TypeError, "bias should be of type bool, got: int"),
    (lambda: torch.nn.GRU(2, 3, batch_first="a"), TypeError, "batch_first should be of type bool"),
]


@pytest.mark.parametrize(("call", "kind", "phrase"), REFUSED)
def test_refused(call, kind, phrase):
    with pytest.raises(kind, match=phrase):
        call()


@pytest.mark.parametrize("pool", ["max_pool", "avg_pool"])
@pytest.mark.parametrize("nd", [1, 2, 3])
def test_pools_need_something_to_pool(pool, nd):
    function = getattr(F, f"{pool}{nd}d")
    assert function(torch.ones(0, 3, *[4] * nd), 2).shape == (0, 3, *[2] * nd)
    for shape in ((0, *[4] * nd), (2, 0, *[4] * nd), (2, 3, *[4] * (nd - 1), 0)):
        with pytest.raises(RuntimeError, match=r"optional 0 dim batch size|positive length"):
            function(torch.ones(shape), 2, padding=1)
    for wrong, phrase in (
        ({"padding": -1}, "pad must be non-negative"),
        ({"stride": 0}, "stride should not be zero"),
        ({"stride": -1}, "stride must be greater than zero"),
        ({"kernel_size": 0}, "kernel_size must be greater than zero"),
    ):
        with pytest.raises(RuntimeError, match=phrase):
            function(torch.ones(2, 3, *[4] * nd), **{"kernel_size": 2, **wrong})
    with pytest.raises(TypeError, match="must be int, not float"):
        function(torch.ones(2, 3, *[4] * nd), 2.5)


def test_averages_in_space_need_a_volume_of_the_kernels_size():
    with pytest.raises(RuntimeError, match="smaller than kernel size"):
        F.avg_pool3d(torch.ones(1, 3, 3, 3), 4, padding=1)


@pytest.mark.parametrize("nd", [1, 2, 3])
def test_adaptive_pools_of_nothing(nd):
    for kind in ("avg", "max"):
        function = getattr(F, f"adaptive_{kind}_pool{nd}d")
        x = torch.ones(0, 3, *[4] * nd, requires_grad=True)
        out = function(x, 2)
        assert out.shape == (0, 3, *[2] * nd)
        out.sum().backward()
        assert x.grad.shape == x.shape
        assert function(torch.ones(2, 3, *[4] * nd), 0).shape == (2, 3, *[0] * nd)
        with pytest.raises(RuntimeError, match="non-zero size for non-batch dimensions"):
            function(torch.ones(2, 3, *[4] * (nd - 1), 0), 2)
        with pytest.raises(RuntimeError, match="output_size"):
            function(torch.ones(2, 3, *[4] * nd), (2,) * (nd + 1))
    # A mean over nothing is NaN, as elsewhere; only the largest of nothing is refused.
    pooled = getattr(F, f"adaptive_avg_pool{nd}d")(torch.ones(2, 3, *[4] * (nd - 1), 0), 1)
    assert pooled.isnan().all()


def test_creation_takes_the_type_of_out():
    out = torch.empty(3, dtype=torch.int64)
    assert torch.linspace(0, 2, 3, out=out) is out and out.tolist() == [0, 1, 2]
    assert torch.ones(3, out=torch.empty(3, dtype=torch.float64)).dtype is torch.float64
    assert torch.arange(3, out=torch.empty(0)).tolist() == [0.0, 1.0, 2.0]
