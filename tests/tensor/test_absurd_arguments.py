"""Absurd arguments get an error of ours, never one that leaks from Python's or NumPy's inside."""

import time

import numpy as np
import pytest

import chainrule as torch
from chainrule.nn import functional as F
from fuzz.arguments.judge import fault_of

ABSURD = [object(), b"a", 5.5, "x", {}, [0.5], 1j, None]


@pytest.mark.parametrize("value", ABSURD, ids=lambda v: type(v).__name__)
@pytest.mark.parametrize(
    "function",
    [
        lambda v: torch.tile(v, (2,)),
        lambda v: torch.roll(torch.ones(3), v, v),
        lambda v: torch.linalg.norm(v),
        lambda v: torch.cumsum(v, 0),
        lambda v: F.pad(torch.ones(3), v),
        lambda v: F.interpolate(v, size=2),
        lambda v: F.unfold(torch.ones(1, 1, 4, 4), v),
        lambda v: torch.kthvalue(torch.ones(3), v),
        lambda v: torch.rot90(torch.ones(2, 2), 1, v),
        lambda v: torch.tensor_split(torch.ones(4), v),
        lambda v: torch.from_dlpack(v),
    ],
)
def test_the_error_names_function_argument_and_line(function, value):
    try:
        function(value)
    except (TypeError, ValueError, IndexError, RuntimeError) as problem:
        assert "test_absurd_arguments.py" in str(problem)
        assert not isinstance(problem, np.exceptions.AxisError)


def test_the_error_shows_all_arguments_and_the_cause():
    with pytest.raises(TypeError, match=r"pad\(\) received an invalid combination") as caught:
        F.pad(torch.ones(3), 5.5)
    text = str(caught.value)
    assert "input=float32[3], pad=5.5" in text
    assert "'float' object is not iterable" in text
    assert "help(torch.nn.functional.pad)" in text


def test_errors_of_a_users_own_code_pass_unchanged():
    class Sides:
        def __iter__(self):
            raise AttributeError("mine")

    with pytest.raises(AttributeError, match=r"^mine$"):
        F.pad(torch.ones(3), Sides())  # type: ignore[arg-type]


NUMPY_NUMBERS = {
    "float option": lambda x, n: F.elu(x, alpha=n(2)),
    "negative slope": lambda x, n: F.leaky_relu(x, n(2)),
    "softplus": lambda x, n: F.softplus(x, beta=n(2)),
    "kernel": lambda x, n: F.max_pool1d(x[None], np.int64(n(2))),
    "kernel in a tuple": lambda x, n: F.avg_pool2d(x[None], (np.int64(n(2)), np.int64(n(2)))),
    "where": lambda x, n: torch.where(x > 0, x, n(2)),
    "roll": lambda x, n: torch.roll(x, np.int64(n(2)), np.int64(0)),
    "sum_to_size": lambda x, n: x.sum_to_size(np.int64(1), np.int64(4)),
    "full": lambda x, n: x * torch.full((4,), n(2)),
    "arange": lambda x, n: x * torch.arange(np.int64(4)),
}


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int64])
@pytest.mark.parametrize("name", NUMPY_NUMBERS)
def test_numbers_of_numpy_are_numbers(name, kind):
    use = NUMPY_NUMBERS[name]
    found = []
    for number in (kind, lambda v: kind(v).item()):
        x = torch.linspace(-1, 1, 16).reshape(4, 4).requires_grad_()
        out = use(x, number)
        (grad,) = torch.autograd.grad(out.sum(), x)
        found.append((out.dtype, out.tolist(), grad.dtype, grad.tolist()))
    assert found[0] == found[1]
    assert found[0][2] is torch.float32


@pytest.mark.parametrize(
    "function",
    [
        lambda: torch.zeros(1 << 62),
        lambda: torch.empty(1 << 31, 1 << 31, 4),
        lambda: torch.ones(3).new_full((1 << 61,), 1.0),
        lambda: F.adaptive_avg_pool1d(torch.ones(1, 2, 4), 1 << 62),
        lambda: F.adaptive_max_pool2d(torch.ones(1, 2, 4, 4), (1 << 31, 1 << 31)),
    ],
)
def test_sizes_that_no_memory_holds_are_refused_at_once(function):
    with pytest.raises(RuntimeError, match="Storage size calculation overflowed with sizes="):
        function()


HOT = {
    "view": lambda v: torch.ones(3).view(v),
    "reshape": lambda v: torch.ones(3).reshape(v),
    "expand": lambda v: torch.ones(3).expand(v),
    "sum": lambda v: torch.ones(3).sum(dtype=v),
    "mean": lambda v: torch.ones(3).mean(dtype=v),
    "mm": lambda v: torch.ones(3, 3).mm(v),
    "linear": lambda v: F.linear(torch.ones(3), v),
    "embedding": lambda v: F.embedding(v, torch.ones(3, 3)),
    "layer_norm": lambda v: F.layer_norm(torch.ones(3), v),
    "batch_norm": lambda v: F.batch_norm(torch.ones(3, 3), v, v),
    "cross_entropy": lambda v: F.cross_entropy(torch.ones(3), v),
    "clone": lambda v: torch.ones(3).clone(memory_format=v),
    "half": lambda v: torch.ones(3).half(v),
    "contiguous": lambda v: torch.ones(3).contiguous(memory_format=v),
    "zeros_like": lambda v: torch.zeros_like(v),
    "zeros": lambda v: torch.zeros(2, dtype=v),
    "empty_strided": lambda v: torch.empty_strided(v, v),
    "in": lambda v: v in torch.ones(3),
    "add_": lambda v: torch.ones(3).add_(v),
    "normal_": lambda v: torch.ones(3).normal_(v),
    "Parameter": lambda v: torch.nn.Parameter(v),
    "Conv2d": lambda v: torch.nn.Conv2d(v, 3, 3),
    "BatchNorm1d": lambda v: torch.nn.BatchNorm1d(v),
    "Dropout": lambda v: torch.nn.Dropout(v),
    "LSTM": lambda v: torch.nn.LSTM(3, v),
    "a layer's call": lambda v: torch.nn.Conv2d(1, 1, 1)(v),
    "state dict": lambda v: torch.nn.Linear(3, 3).load_state_dict(v),
    "init": lambda v: torch.nn.init.uniform_(v),
    "clip": lambda v: torch.nn.utils.clip_grad_norm_(v, 1.0),
    "SGD": lambda v: torch.optim.SGD([torch.nn.Parameter(torch.ones(3))], lr=v),
    "Adam": lambda v: torch.optim.Adam([torch.nn.Parameter(torch.ones(3))], betas=v),
    "params": lambda v: torch.optim.SGD(v, lr=0.1),
    "StepLR": lambda v: torch.optim.lr_scheduler.StepLR(v, 2),
    "Normal": lambda v: torch.distributions.Normal(v, 1.0),
    "sample": lambda v: torch.distributions.Normal(0.0, 1.0).sample(v),
    "Affine": lambda v: torch.distributions.AffineTransform(0.0, 1.0)(v),
    "DataLoader": lambda v: list(torch.utils.data.DataLoader([1, 2], batch_sampler=v)),
    "random_split": lambda v: torch.utils.data.random_split([1, 2], v),
    "grad": lambda v: torch.autograd.grad(v, v),
    "func.grad": lambda v: torch.func.grad(v)(torch.ones(())),
    "vmap": lambda v: torch.vmap(torch.sin, in_dims=v)(torch.ones(3)),
    "device": lambda v: torch.device(v),
    "Size": lambda v: torch.Size(v),
    "seed": lambda v: torch.manual_seed(v),
    "profile": lambda v: torch.set_printoptions(profile=v),
    "Buffer": lambda v: torch.nn.Buffer(v),
    "LazyConv2d": lambda v: torch.nn.LazyConv2d(2, 2, groups=v),
    "zero_": lambda v: torch.zero_(v),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("value", ABSURD, ids=lambda v: type(v).__name__)
@pytest.mark.parametrize("name", HOT)
def test_no_error_arises_by_accident(name, value):
    try:
        HOT[name](value)
    except (TypeError, ValueError, IndexError, RuntimeError, AssertionError) as problem:
        assert fault_of(problem) == ""


def test_the_error_of_a_constructor_names_the_class_that_users_know():
    with pytest.raises(TypeError, match=r"^Conv2d\(\) received an invalid combination") as caught:
        torch.nn.Conv2d(None, 3, kernel_size=3)  # type: ignore[arg-type]
    assert "in_channels=None, out_channels=3, kernel_size=3" in str(caught.value)
    assert "test_absurd_arguments.py" in str(caught.value)


def test_a_call_that_does_not_fit_the_signature_is_pythons_business():
    with pytest.raises(TypeError, match=r"^Linear.__init__\(\) missing 1 required positional"):
        torch.nn.Linear(3)  # type: ignore[call-arg]


class Mine(torch.nn.Module):
    def forward(self, x):
        return None.shape  # type: ignore[attr-defined]


def test_accidents_in_a_users_layer_stay_what_they_are():
    with pytest.raises(AttributeError, match=r"^'NoneType' object has no attribute 'shape'$"):
        torch.nn.Sequential(Mine())(torch.ones(3))


def test_memory_that_there_is_not_is_said_as_pytorch_says_it():
    wide = torch.ones(1, 1).expand(1 << 25, 1 << 25)
    for use in (lambda: torch.zeros(1 << 50), lambda: wide + 1):
        with pytest.raises(RuntimeError, match="can't allocate memory"):
            use()


@pytest.mark.parametrize(
    "use",
    [
        lambda: torch.special.hermite_polynomial_h(torch.ones(3), 10**6),
        lambda: torch.special.legendre_polynomial_p(torch.ones(3), float("inf")),
        lambda: torch.mvlgamma(torch.ones(3) * 1e7, 10**6),
        lambda: torch.ones(4).tensor_split(1 << 62),
        lambda: torch.ones(3).repeat(2, 1 << 62),
        lambda: torch.ones(3).tile(1 << 62),
        lambda: torch.combinations(torch.ones(4), 10**6, with_replacement=True),
        lambda: torch.combinations(torch.ones(4), 1 << 62, with_replacement=True),
        lambda: torch.pca_lowrank(torch.ones(4, 3), q=1, niter=1 << 62),
        lambda: torch.nn.utils.parametrizations.spectral_norm(
            torch.nn.Linear(2, 2), "weight", 2**62
        ),
        lambda: torch.utils.data.DataLoader([1], num_workers=1 << 62),
        lambda: torch.utils.data.DistributedSampler([1], 1 << 62, 0),
        lambda: torch.ones(0).chunk(1 << 62),
        lambda: torch.nn.LSTM(3, 4, 10**6),
        lambda: torch.nn.Transformer(4, 2, num_encoder_layers=10**400),
        lambda: torch.distributions.VonMises(0.0, float("inf")).sample(),
        lambda: torch.distributions.VonMises(0.0, 1e30).sample(),
    ],
)
def test_numbers_that_ask_for_endless_work_are_refused(use):
    start = time.thread_time()
    with pytest.raises((RuntimeError, ValueError)):
        use()
    assert time.thread_time() - start < 1


def test_combinations_of_more_than_there_is_are_none():
    assert torch.combinations(torch.ones(4), 10**6).shape == (0, 10**6)


def test_adaptive_means_of_a_million_regions():
    start = time.thread_time()
    found = F.adaptive_avg_pool1d(torch.tensor([[[0.0, 3.0, 1.0]]]), 10**6)
    assert time.thread_time() - start < 2
    assert found[0, 0, [0, 333_333, 500_000, -1]].tolist() == [0.0, 1.5, 3.0, 1.0]


def test_triangular_solve_says_which_sizes_do_not_fit():
    with pytest.raises(RuntimeError, match="each A matrix is 2 by 2 but each b matrix has"):
        torch.triangular_solve(torch.ones(3, 1), torch.eye(2))


@pytest.mark.parametrize("pivots", [[0, 1], [3, 1], [1, -9], [1], [float("nan"), 1.0]])
def test_pivots_that_point_outside_are_refused(pivots):
    with pytest.raises(RuntimeError, match="pivots"):
        torch.linalg.ldl_solve(torch.eye(2), torch.tensor(pivots), torch.ones(2, 1))


def test_meta_tensors_of_any_layout_take_no_memory():
    many = 1 << 40
    assert torch.empty(3, device="meta").as_strided((many, 2), (1, 5)).shape == (many, 2)
    assert torch.empty(3, device="meta").resize_(many).shape == (many,)
    x = torch.empty(3, device="meta", requires_grad=True)
    (grad,) = torch.autograd.grad(x.as_strided((many,), (0,)).sum(), x)
    assert grad.shape == (3,)


def test_the_error_of_a_device_names_the_class():
    with pytest.raises(TypeError, match=r"^device\(\) received an invalid .* got \(type="):
        torch.device(object())


def test_bytes_are_no_sizes():
    with pytest.raises(TypeError, match="must be int, not bytes"):
        F.adaptive_avg_pool2d(torch.ones(1, 4, 4), b"x")  # type: ignore[arg-type]


def test_adaptive_pools_look_at_each_region_once():
    x = torch.tensor([[[0.0, 3.0, 1.0, 2.0]]])
    start = time.thread_time()
    found, where = F.adaptive_max_pool1d(x, 10**6, return_indices=True)
    assert time.thread_time() - start < 2
    assert found[0, 0, :: 10**6 // 8].tolist() == [0.0, 0.0, 3.0, 3.0, 1.0, 1.0, 2.0, 2.0]
    assert where[0, 0, [0, 300_000, -1]].tolist() == [0, 1, 3]


def test_what_a_container_does_not_hold_is_a_key_error():
    with pytest.raises(KeyError, match=r"^'missing'$"):
        torch.nn.ModuleDict()["missing"]
    with pytest.raises(KeyError, match="dictionary is empty"):
        torch.nn.ParameterDict().popitem()
