"""Tensors among the arrays of other libraries: NumPy's functions, DLPack."""

import numpy as np
import pytest

import chainrule as torch


def test_elementwise_functions_of_numpy_return_tensors_others_arrays():
    t = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    found = np.sin(t)
    assert isinstance(found, torch.Tensor) and found.dtype is torch.float32
    np.testing.assert_array_equal(found.numpy(), np.sin(t.numpy()))
    assert np.isnan(t).dtype is torch.uint8  # as PyTorch
    assert type(np.concatenate([t, t])) is np.ndarray
    assert type(np.dot(t, t)) is np.ndarray


def test_numpy_never_loses_a_gradient_unnoticed():
    g, array = torch.ones(2, requires_grad=True), np.zeros(2)
    for function in (
        np.asarray, np.spacing, np.convolve, lambda x: np.convolve(x, x), np.frexp,
        lambda x: np.add(x, 1, out=array), lambda x: np.sum(x, where=array > 0),
        lambda x: np.pad(x, 1, mode="wrap"), lambda x: np.add.reduceat(x, [0]),
        lambda x: array.__iadd__(x), lambda x: np.sin(x, dtype=np.float32),
    ):  # fmt: skip
        with pytest.raises((RuntimeError, TypeError), match=r"requires grad|missing"):
            function(g)
    assert array.tolist() == [0, 0]
    with torch.no_grad():  # nothing is recorded here
        assert type(np.spacing(g)) is torch.Tensor


RECORDED = {
    "sin": np.sin, "add": lambda x: np.add(np.arange(3.0), x) * np.float64(2),
    "power": lambda x: np.power(x, 2.5), "maximum": lambda x: np.maximum(x, 0.7),
    "sum": lambda x: np.sum(x, axis=0), "mean": np.mean, "std": lambda x: np.std(x, ddof=1),
    "max": lambda x: np.max(x, axis=1, keepdims=True), "prod": lambda x: np.prod(x, axis=-1),
    "concatenate": lambda x: np.concatenate([x, np.ones((1, 3)), x]),
    "stack": lambda x: np.stack([x, x], axis=1), "hstack": lambda x: np.hstack([x, x]),
    "reshape": lambda x: np.reshape(x, (3, 2)) + np.transpose(x), "ravel": np.ravel,
    "where": lambda x: np.where(x > 1, x, x * 2), "clip": lambda x: np.clip(x, 0.5, 1.2),
    "dot": lambda x: np.dot(x, x.T), "einsum": lambda x: np.einsum("ij,kj->ik", x, x),
    "matmul": lambda x: np.ones((4, 2)) @ x, "norm": np.linalg.norm,
    "outer": lambda x: np.outer(x, x),
    "inv": lambda x: np.linalg.inv(x @ x.T), "solve": lambda x: np.linalg.solve(x @ x.T, x),
    "cumsum": lambda x: np.cumsum(x, axis=1), "diff": np.diff, "sort": np.sort,
    "take": lambda x: np.take(x, [2, 0], axis=1), "flip": np.flip, "tile": lambda x: np.tile(x, 2),
    "pad": lambda x: np.pad(x, ((0, 1), (2, 0))), "split": lambda x: np.split(x, 3, axis=1)[1],
    "average": lambda x: np.average(x, axis=1, weights=np.array([1.0, 2.0, 3.0])),
    "median": lambda x: np.median(x, axis=1), "percentile": lambda x: np.percentile(x, 30),
    "reduce": lambda x: np.add.reduce(x) + np.multiply.reduce(x, axis=0),
    "accumulate": lambda x: np.multiply.accumulate(x, axis=1),
    "ufunc outer": lambda x: np.multiply.outer(x, np.arange(2.0)),
    "squeeze": lambda x: np.squeeze(np.expand_dims(x, 1), axis=1), "cbrt": np.cbrt,
    "rfft": lambda x: np.abs(np.fft.rfft(x)), "trace": np.trace,
    "append": lambda x: np.append(x, 1.0),
}  # fmt: skip


@pytest.mark.parametrize("name", RECORDED)
def test_numpy_functions_of_recording_tensors_have_gradients(name):
    function, values = RECORDED[name], np.random.default_rng(0).uniform(0.3, 1.7, (2, 3))
    x = torch.tensor(values, requires_grad=True)
    found = function(x)
    assert isinstance(found, torch.Tensor) and found.grad_fn is not None
    np.testing.assert_allclose(found.detach().numpy(), function(values), rtol=1e-6)
    assert torch.autograd.gradcheck(function, (x,))
    _, derivative = torch.func.jvp(
        lambda y: torch.as_tensor(function(y)), (x.detach(),), (x.detach(),)
    )
    assert derivative.shape == found.shape


def test_questions_about_recording_tensors_are_answered():
    g = torch.tensor([3.0, 1.0], requires_grad=True)
    assert np.shape(g) == (2,) and np.size(g) == 2 and np.argmax(g) == 0
    assert np.allclose(g, [3, 1]) and np.array_equal(g, g)
    assert np.zeros_like(g).tolist() == [0, 0] and np.isnan(g).dtype is torch.uint8
    assert np.greater(g, 2).tolist() == [1, 0]


def test_arrays_and_numbers_of_numpy_mix_with_tensors():
    a, t = np.array([1.0, 2.0]), torch.tensor([3.0, 4.0], requires_grad=True)
    for found in (
        a * t,
        a - t,
        a / t,
        a**t,
        a @ t,
        t @ a.astype(np.float32),
        np.float64(2) * t,
        a + t,
        np.float32(1) - t,
    ):
        assert isinstance(found, torch.Tensor) and found.requires_grad
    assert (np.float64(2) * t).dtype is torch.float32
    assert (a < t).dtype is torch.bool and (a == t).tolist() == [False, False]
    out = torch.zeros(2, dtype=torch.float64)
    assert np.add(a, a, out=out) is out and out.tolist() == [2, 4]
    a += t.detach()
    assert type(a) is np.ndarray and a.tolist() == [4, 6]


def test_reductions_of_numpy_take_tensors():
    t = torch.tensor([[1, 2], [3, 4]])
    assert np.mean(t).item() == 2.5 and np.sum(t, axis=0).tolist() == [4, 6]
    assert np.all(t > 0) and np.std(t.double()).item() == pytest.approx(np.std(t.numpy()))
    assert np.sum(t, where=t.numpy() > 1) == 9


def test_a_function_whose_name_only_looks_like_numpys_is_not_taken_for_it():
    sin = np.frompyfunc(lambda x: 7.0, 1, 1)
    with pytest.raises(RuntimeError, match="requires grad"):
        sin(torch.ones(2, requires_grad=True))


def test_special_functions_of_scipy_have_gradients():
    special = pytest.importorskip("scipy.special")
    x = torch.tensor([0.3, 0.6], dtype=torch.float64, requires_grad=True)
    for function in (special.expit, special.erf, special.gammaln, special.ndtr, special.i0):
        assert torch.autograd.gradcheck(function, (x,))
    with pytest.raises(RuntimeError, match="requires grad"):
        special.jv(1.0, x)


def test_dlpack_both_ways_shares_memory():
    array = np.arange(6.0).reshape(2, 3)[:, ::2]
    t = torch.from_dlpack(array)
    t[0, 0] = 9
    assert array[0, 0] == 9 and t.stride() == (3, 2)
    back = np.from_dlpack(t)
    back[1, 1] = -1
    assert t[1, 1] == -1


def test_dlpack_copies_on_request():
    array = np.zeros(2)
    torch.from_dlpack(array, copy=True).fill_(1)
    t = torch.zeros(2)
    np.from_dlpack(t, copy=True)[:] = 1
    assert array.tolist() == [0, 0] and t.tolist() == [0, 0]
    torch.from_dlpack(array, copy=False).fill_(1)
    assert array.tolist() == [1, 1]


def test_memory_that_must_not_be_written_stays_as_it_is():
    array = np.zeros(2)
    array.flags.writeable = False
    t = torch.from_dlpack(array)
    with pytest.raises(RuntimeError, match="read-only"):
        t.fill_(1)
    assert array.tolist() == [0, 0]


@pytest.mark.parametrize(
    "dtype", [torch.bfloat16, torch.bool, torch.complex64, torch.uint16], ids=str
)
def test_every_type_passes_between_tensors(dtype):
    t = torch.ones(2, dtype=dtype)
    found = torch.from_dlpack(t)
    assert found.dtype is dtype and torch.equal(found, t)
    assert found.data_ptr() == t.data_ptr()


def test_both_protocols_are_spoken():
    t = torch.ones(2)
    assert '"dltensor"' in str(t.__dlpack__())
    assert '"dltensor_versioned"' in str(t.__dlpack__(max_version=(1, 0)))
    assert tuple(t.__dlpack_device__()) == (1, 0)


@pytest.mark.parametrize(
    ("options", "text"),
    [({"stream": 1}, "stream should be None"), ({"dl_device": (2, 0)}, "device \\(2, 0\\)")],
)
def test_what_a_cpu_cannot_export_is_refused(options, text):
    with pytest.raises(BufferError, match=text):
        torch.ones(2).__dlpack__(**options)


def test_tensors_that_require_gradients_are_not_exported():
    for dtype in (torch.float32, torch.bfloat16):
        t = torch.ones(2, dtype=dtype, requires_grad=True)
        with pytest.raises(BufferError, match="require gradient"):
            torch.from_dlpack(t)
