"""The Python array API standard: every function, its types and special cases, on tensors."""

import inspect
import os
from pathlib import Path

import numpy as np
import pytest

import chainrule as torch
from chainrule import array_api as xp

from .array_api_cases import GROUPS, Draw

ROUNDS = int(os.environ.get("ARRAY_API_ROUNDS", "15"))
SIGNATURES = [
    line.split(" ")
    for line in (Path(__file__).parent / "array_api_signatures.txt").read_text().splitlines()
    if not line.startswith("#")
]


def named(namespace, name):
    for part in name.split("."):
        namespace = getattr(namespace, part)
    return namespace


def given(namespace, value, make):
    """An argument as one namespace takes it."""
    if isinstance(value, np.ndarray):
        return make(value)
    if isinstance(value, list) and value and isinstance(value[0], np.ndarray):
        return [make(x) for x in value]
    return getattr(namespace, value[1:]) if str(value).startswith("@") else value


def answer(namespace, case, make):
    name, arguments, options = case
    with np.errstate(all="ignore"):
        return named(namespace, name)(
            *[given(namespace, a, make) for a in arguments],
            **{key: given(namespace, a, make) for key, a in options.items()},
        )


def check(found, expected, case):
    if isinstance(expected, tuple | list):
        assert len(found) == len(expected), case
        for one, other in zip(found, expected, strict=True):
            check(one, other, case)
        return
    expected = np.asarray(expected)
    assert isinstance(found, torch.Tensor), case
    assert str(found.dtype) == f"torch.{expected.dtype}", case
    assert tuple(found.shape) == expected.shape, case
    tolerance = 2e-3 if expected.dtype in ("float32", "complex64") else 1e-8
    for part in ("real", "imag") if expected.dtype.kind == "c" else ("real",):
        one, other = getattr(found.numpy(), part), getattr(expected, part)
        largest = np.abs(expected[np.isfinite(expected)]).max(initial=0)
        absolute = tolerance * max(1.0, largest) if "linalg" in case[0] else tolerance
        np.testing.assert_allclose(one, other, tolerance, absolute, err_msg=str(case))
        if case[0].rpartition(".")[0] == "":  # zeros of decompositions have no sign of their own
            zeros = (one == 0) & (other == 0)
            if case[0] in EXACT_ZEROS and zeros.any():
                assert (np.signbit(one) == np.signbit(other))[zeros].all(), case


NEWER = {"unstack", "cumulative_sum", "cumulative_prod"}  # NumPy 2.0 had none
EXACT_ZEROS = set(
    "acos asin atan ceil cos copysign divide expm1 floor log1p multiply negative pow remainder "
    "round sin sinh sqrt square subtract add tan tanh trunc".split()
)


@pytest.mark.parametrize("group", GROUPS)
def test_values_types_and_shapes_are_numpys(group):
    draw = Draw(seed=len(group))
    for _ in range(ROUNDS):
        for case in GROUPS[group](draw):
            if case[0] in NEWER and not hasattr(np, case[0]):
                continue
            expected = answer(np, case, lambda x: x)
            check(answer(xp, case, lambda x: torch.from_numpy(x.copy())), expected, case)


@pytest.mark.parametrize("line", SIGNATURES, ids=lambda line: line[0])
def test_signatures_are_the_standards(line):
    parameters = inspect.signature(named(xp, line[0])).parameters.values()
    found, by_name = [], False
    for p in parameters:
        if p.kind is p.KEYWORD_ONLY and not by_name:
            found.append("*")
            by_name = True
        by_name |= p.kind is p.VAR_POSITIONAL
        star = "*" if p.kind is p.VAR_POSITIONAL else ""
        only = "/" if p.kind is p.POSITIONAL_ONLY else ""
        found.append(f"{star}{p.name}{only}{'' if p.default is p.empty else '='}")
    assert found == [part for part in line[1:] if part]


def test_a_tensor_knows_its_namespace():
    x = torch.ones(2)
    assert x.__array_namespace__() is xp
    assert x.__array_namespace__(api_version="2024.12") is xp
    assert xp.__array_api_version__ == "2024.12"
    with pytest.raises(ValueError, match=r"'2019.1' is not supported"):
        x.__array_namespace__(api_version="2019.1")
    assert x.to_device("cpu") is x
    with pytest.raises(ValueError, match="stream must be None"):
        x.to_device("cpu", stream=1)
    assert not [name for name in xp.__all__ if not hasattr(xp, name)]


def test_the_namespace_describes_itself():
    info = xp.__array_namespace_info__()
    assert info.capabilities()["boolean indexing"]
    assert info.default_device() in info.devices()
    assert info.default_dtypes()["real floating"] is torch.float32
    assert set(info.dtypes(kind=("integral", "bool"))) == {
        "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"
    }  # fmt: skip
    with pytest.raises(ValueError, match="the only device is the CPU"):
        info.dtypes(device="cuda")


@pytest.mark.parametrize(
    ("one", "other", "together"),
    [
        ("uint16", "int8", "int32"), ("uint32", "int32", "int64"), ("uint8", "int8", "int16"),
        ("uint16", "uint64", "uint64"), ("float32", "complex128", "complex128"),
        ("float64", "complex64", "complex128"),
    ],
)  # fmt: skip
def test_types_promote_without_regard_to_dimensions(one, other, together):
    """PyTorch lets 0-dim tensors count less, and refuses to mix signed with unsigned."""
    one, other, together = (getattr(xp, name) for name in (one, other, together))
    for shapes in [((), (2,)), ((2,), ()), ((2,), (2,))]:
        x, y = xp.ones(shapes[0], dtype=one), xp.ones(shapes[1], dtype=other)
        assert xp.add(x, y).dtype is xp.result_type(x, y) is xp.result_type(one, other) is together


def test_what_has_no_common_type_is_refused():
    with pytest.raises(TypeError, match=r"uint64 and torch.int8 have no common type"):
        xp.result_type(xp.uint64, xp.int8)
    with pytest.raises(OverflowError, match=r"300 out of bounds for torch.uint8"):
        xp.add(xp.ones(2, dtype=xp.uint8), 300)


def test_python_numbers_take_the_arrays_type():
    assert xp.result_type(xp.int8, 3) is xp.int8
    assert xp.result_type(3.0, xp.float64, 1) is xp.float64
    assert xp.result_type(xp.float32, 1j) is xp.complex64
    assert xp.multiply(2, xp.ones(2, dtype=xp.uint8)).dtype is xp.uint8
    assert xp.where(xp.asarray([True, False]), xp.ones(2, dtype=xp.int16), 7).dtype is xp.int16
    with pytest.raises(ValueError, match="needs an array or a dtype"):
        xp.result_type(1, 2)


def test_infinity_divided_by_a_number_stays_infinite():
    x = xp.asarray([np.inf, np.inf, -np.inf, -np.inf, 1.0, -1.0, -0.0, 1.0])
    y = xp.asarray([2.0, -2.0, 2.0, -2.0, -np.inf, -np.inf, 3.0, -0.0])
    found = xp.floor_divide(x, y)
    expected = [np.inf, -np.inf, -np.inf, np.inf, -1.0, 0.0, -0.0, -np.inf]
    np.testing.assert_array_equal(found.numpy(), expected)
    assert xp.signbit(found).tolist() == np.signbit(expected).tolist()


@pytest.mark.parametrize(
    ("x", "expected"),
    [
        (complex(np.inf, 0.0), (np.inf, 0.0)), (complex(np.inf, 2.0), (-np.inf, np.inf)),
        (complex(np.inf, np.inf), (np.inf, np.nan)), (complex(np.inf, np.nan), (np.inf, np.nan)),
        (complex(-np.inf, 2.0), (-1.0, 0.0)), (complex(-np.inf, np.inf), (-1.0, 0.0)),
        (complex(-np.inf, np.nan), (-1.0, 0.0)), (complex(np.nan, 0.0), (np.nan, 0.0)),
        (complex(np.nan, 1.0), (np.nan, np.nan)), (complex(1.0, np.inf), (np.nan, np.nan)),
    ],
)  # fmt: skip
def test_expm1_of_complex_infinities_is_the_standards(x, expected):
    """NumPy and PyTorch answer NaN for most of them."""
    found = xp.expm1(xp.asarray(x, dtype=xp.complex128)).numpy()
    np.testing.assert_array_equal([abs(found.real), abs(found.imag)], np.abs(expected))
    assert np.isnan(found.real) or np.sign(found.real) == np.sign(expected[0])


def test_every_nan_is_a_value_of_its_own_and_zeros_are_one():
    values, indices, inverse, counts = xp.unique_all(xp.asarray([np.nan, 0.0, np.nan, -0.0, 1.0]))
    assert values.tolist()[:2] == [0.0, 1.0] and values.isnan().tolist() == [False] * 2 + [True] * 2
    assert counts.tolist() == [2, 1, 1, 1] and indices.tolist()[:2] == [1, 4]
    assert sorted(inverse.tolist()) == [0, 0, 1, 2, 3]
    assert xp.unique_values(xp.asarray([3, 1, 3])).tolist() == [1, 3]
    assert xp.sign(xp.asarray(np.nan)).isnan()


def test_descending_sorts_are_stable():
    x = xp.asarray([3, 1, 3, 2, 1])
    assert xp.argsort(x, descending=True).tolist() == [0, 2, 3, 1, 4]
    assert xp.argsort(x).tolist() == [1, 4, 3, 0, 2]


def test_copies_are_made_as_asked():
    array = np.arange(4.0)
    assert xp.asarray(array).data_ptr() == array.ctypes.data
    assert xp.asarray(array, copy=False).data_ptr() == array.ctypes.data
    assert xp.asarray(array, copy=True).data_ptr() != array.ctypes.data
    x = xp.asarray(array)
    assert xp.asarray(x) is x and xp.astype(x, xp.float64, copy=False) is x
    assert xp.asarray(x, copy=True).data_ptr() != x.data_ptr()
    assert xp.reshape(x, (2, 2), copy=False).data_ptr() == x.data_ptr()
    for call in (
        lambda: xp.asarray([1.0], copy=False),
        lambda: xp.asarray(x, dtype=xp.float32, copy=False),
        lambda: xp.reshape(xp.reshape(x, (2, 2)).T, (4,), copy=False),
    ):
        with pytest.raises(ValueError, match=r"copy=False\)"):
            call()


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda x: xp.squeeze(x, 0), ValueError, "axis 0 of shape \\(2, 3\\)"),
        (lambda x: xp.expand_dims(x, 4), IndexError, "axis 4 is out of bounds"),
        (lambda x: xp.nonzero(xp.asarray(1)), ValueError, "a 0-dim array has no axes"),
        (lambda x: xp.concat([x, xp.ones(0)]), ValueError, "same number of dimensions"),
        (lambda x: xp.concat([x, xp.ones((2, 2))]), ValueError, "agree except in axis 0"),
        (lambda x: xp.sum(x, axis=(0, 0)), ValueError, "repeated axis"),
        (lambda x: xp.cumulative_sum(x), ValueError, "axis must be given"),
        (lambda x: xp.take(x, xp.asarray([0])), ValueError, "axis must be given"),
        (lambda x: xp.vecdot(x, xp.ones(2)), ValueError, "lengths along axis -1 differ: 3 and 2"),
        (lambda x: xp.matmul(x, xp.asarray(1.0)), ValueError, "0-dim arrays"),
        (lambda x: xp.tensordot(x, xp.ones((1, 3)), axes=((0,), (0,))), ValueError, "different"),
        (lambda x: xp.linalg.cross(x, xp.ones((2, 2))), ValueError, "length 3, got 3 and 2"),
        (lambda x: xp.astype(x * 1j, xp.float32), TypeError, "imaginary part would be lost"),
        (lambda x: xp.sin([1.0]), TypeError, "expected an array, got list"),
        (lambda x: xp.add(1, 2), TypeError, "at least one operand must be an array"),
        (lambda x: xp.isdtype(x.dtype, "float"), ValueError, "unrecognized data type kind"),
        (lambda x: xp.searchsorted(x, x), ValueError, "x1 must have one dimension"),
        (lambda x: xp.unstack(xp.asarray(1)), ValueError, "0-dim array has no axis"),
    ],
)
def test_errors_say_what_was_wrong(call, error, text):
    with pytest.raises(error, match=text):
        call(xp.ones((2, 3)))


def test_what_is_computed_can_be_differentiated():
    x = torch.tensor([[2.0, 1.0], [1.0, 3.0]], dtype=torch.float64, requires_grad=True)

    def value(x):
        parts = xp.stack([xp.linalg.inv(x), xp.var(x, axis=0, correction=1) * xp.ones((2, 2))])
        taken = xp.take(xp.permute_dims(parts, (2, 0, 1)), xp.asarray([1, 0]), axis=0)
        return xp.sum(xp.clip(xp.exp(taken), 0.0, 5.0)) + xp.prod(x)

    assert torch.autograd.gradcheck(value, (x,))


def test_a_compiled_function_may_use_the_namespace():
    def loss(x):
        ns = x.__array_namespace__()
        return ns.sum(ns.tanh(ns.matmul(x, ns.matrix_transpose(x))), axis=(0, 1))

    x = torch.randn(3, 4, requires_grad=True)
    for _ in range(3):
        torch.testing.assert_close(torch.compile(loss)(x), loss(x))


def test_limits_are_python_numbers():
    info = xp.finfo(xp.complex64)
    assert info.dtype is xp.float32 and info.bits == 32 and type(info.eps) is float
    assert xp.iinfo(xp.ones(1, dtype=xp.uint64)).max == 2**64 - 1
    assert xp.finfo(xp.ones(1)).smallest_normal == np.finfo(np.float32).smallest_normal
