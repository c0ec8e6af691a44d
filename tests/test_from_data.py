"""Python data becomes what PyTorch makes of it, and mistakes are named with their place."""

import json
import time
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from data_samples import named_objects
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import chainrule as torch
from chainrule.tensor.from_data import array_from_data, default_dtype_for

RECORDED = json.loads((Path(__file__).parent / "recorded" / "from_data.json").read_text())["cases"]


class FakeTensor:
    """Stands in for the Tensor class, which the code under test knows through a hook only."""

    def __init__(self, data):
        self.array = array_from_data(data)


def unwrap(item):
    return item.array if isinstance(item, FakeTensor) else None


def numpy_dtype(name: str) -> np.dtype:
    return np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)


def convert(expression: str, dtype: str | None = None, default: str = "float32") -> np.ndarray:
    data = eval(expression, named_objects() | {"tensor": FakeTensor})
    target = None if dtype is None else numpy_dtype(dtype)
    return array_from_data(data, target, numpy_dtype(default), unwrap)


def number(value):
    if isinstance(value, list):
        return complex(float(value[0]), float(value[1]))
    return float(value) if isinstance(value, str) else value


def describe(record: dict) -> str:
    return " ".join(filter(None, (record["data"], record.get("dtype"), record.get("default"))))


@pytest.mark.parametrize("record", [r for r in RECORDED if "result" in r], ids=describe)
def test_makes_what_pytorch_makes(record):
    array = convert(record["data"], record.get("dtype"), record.get("default", "float32"))
    dtype, shape, values = record["result"]
    assert (array.dtype.name, list(array.shape)) == (dtype, shape)
    # Exact comparison: a NaN equals itself in its text, and -0.0 differs from 0.0.
    assert [repr(v) for v in array.reshape(-1).tolist()] == [repr(number(v)) for v in values]


@pytest.mark.parametrize("record", [r for r in RECORDED if "error" in r], ids=describe)
def test_refuses_what_pytorch_refuses_with_its_phrase(record):
    kind, phrase = record["error"]
    with pytest.raises((RuntimeError, TypeError, ValueError, OverflowError)) as caught:
        convert(record["data"], record.get("dtype"), record.get("default", "float32"))
    assert type(caught.value).__name__ == kind
    # From Python 3.13 on the interpreter calls this type by its bare name.
    text, phrase = (t.replace("decimal.Decimal", "Decimal") for t in (str(caught.value), phrase))
    assert text.startswith(phrase)
    # After the phrase every message says more than PyTorch does.
    assert "data" in text.removeprefix(phrase)


@pytest.mark.parametrize(
    ("expression", "dtype", "place", "fix"),
    [
        ("[[1, 2, 3], [1, 2]]", None, "data[1] has 2 where data[0] has 3", "pad"),
        ("[[[1, 2], [3, 4]], [[1, 2], [3]]]", None, "data[1][1] has 1 where data[0][0]", "pad"),
        ("[[1, 2], [3, None]]", None, "data[1][1] is None", "float('nan')"),
        ("[1.5, 'a']", None, "data[1] is 'a'", "float(...)"),
        ("[[1, 2], [3, 2**64]]", None, "data[1][1] is 18446744073709551616", "floating dtype"),
        ("[[1, 2], [300, 4]]", "uint8", "data[1][0] is 300", "wider dtype"),
        ("[[1.0, 2.0], [3.0, nan]]", "int16", "data[1][1] is nan", "wider dtype"),
        ("[1, 2.5, 1e30]", "int64", "data[2] is 1e+30", "wider dtype"),
        ("[[1, 2], [3, 1j]]", "float32", "data[1][1] is 1j", "complex dtype"),
        ("[np.array([1, 2]), np.array([3, 400])]", "int8", "data[1][1] is 400", "wider dtype"),
        ("[np.array([1, 2]), [3, 400]]", "int8", "data[1][1] is 400", "wider dtype"),
        ("[[1, 2], 3]", None, "data[1] is 3 where data[0] has 2", "equally deep"),
        ("[1, [2, 3]]", None, "data[1] is [2, 3]", "equally deep"),
        ("[1, tensor([1.0, 2.0])]", None, "data[1] is a tensor of shape (2,)", "torch.stack"),
        ("[[1], [np.datetime64('2020')]]", None, "data[1][0]", ".astype(np.int64)"),
        ("[1, {'a': 2}]", None, "data[1] is {'a': 2}", "list(d.values())"),
        ("[1, {2}]", None, "data[1] is {2}", "sorted(...)"),
        ("iter([1])", None, "data is <list_iterator", "list(...)"),
        ("[0.5, Decimal('1.5')]", None, "data[1] is Decimal('1.5')", "float(...)"),
        ("itself", None, "more than 64 levels", "contain itself"),
        ("[0.0, 2**2000]", None, "data[1] has 2001 bits", "2**1024"),
    ],
)
def test_errors_name_the_place_and_the_way_out(expression, dtype, place, fix):
    with pytest.raises((RuntimeError, TypeError, ValueError, OverflowError)) as caught:
        convert(expression, dtype)
    assert place in str(caught.value)
    assert fix in str(caught.value)


# ----- Where we do better than PyTorch -----------------------------------------------------------


class WithArray:
    """An object that NumPy can read, such as a data frame."""

    def __array__(self, dtype=None, copy=None):
        return np.array([[1.5, 2.0]])


class WithInterface:
    """The older protocol."""

    def __init__(self):
        self.numbers = np.arange(3)
        self.__array_interface__ = self.numbers.__array_interface__


@pytest.mark.parametrize(
    ("data", "dtype", "expected"),
    [
        (WithArray(), None, np.array([[1.5, 2.0]])),
        ([WithArray(), WithArray()], None, np.array([[[1.5, 2.0]], [[1.5, 2.0]]])),
        (WithInterface(), None, np.array([0, 1, 2])),
        ([np.array(1.5), 2], None, np.array([1.5, 2.0])),
        ([np.bool_(True), 2], None, np.array([1, 2])),
        ([np.uint64(2**64 - 1)], None, np.array([2**64 - 1], np.uint64)),
        (np.uint64(3), None, np.array(3, np.uint64)),
        ([np.uint8(3)], "uint64", np.array([3], np.uint64)),
        ([np.float32(2.7)], "int64", np.array([2])),
        (np.arange(4)[::-1], None, np.array([3, 2, 1, 0])),
        (np.array([1.5], ">f4"), None, np.array([1.5], np.float32)),
        ([np.array([1.5], ">f4")], None, np.array([[1.5]], np.float32)),
    ],
)
def test_accepts_more_than_pytorch_where_the_meaning_is_plain(data, dtype, expected):
    array = array_from_data(data, None if dtype is None else np.dtype(dtype))
    assert array.dtype == expected.dtype
    assert array.dtype.isnative
    assert np.array_equal(array, expected)
    assert array.shape == expected.shape


def test_an_empty_first_row_does_not_swallow_the_others():
    with pytest.raises(ValueError, match=r"expected sequence of length 0 at dim 1 \(got 1\)"):
        array_from_data([[], [1]])


# ----- Memory and types --------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [None, np.dtype("float32"), np.dtype("float64")])
def test_the_result_never_shares_memory(dtype):
    source = np.arange(6.0).reshape(2, 3)
    for data in (source, [source], FakeTensor([1.0])):
        array = array_from_data(data, dtype, unwrap=unwrap)
        behind = data.array if isinstance(data, FakeTensor) else source
        assert not np.shares_memory(array, behind)
        assert array.flags.writeable


def test_the_layout_of_an_array_is_kept_as_in_pytorch():
    assert array_from_data(np.zeros((2, 3)).T).strides == (8, 24)
    assert array_from_data(np.broadcast_to(np.zeros(3), (2, 3))).strides == (24, 8)


def test_complex_array_to_real_warns_about_the_lost_part():
    with pytest.warns(UserWarning, match="Casting complex values to real discards"):
        array = array_from_data(np.array([1 + 2j]), np.dtype("float32"))
    assert array.tolist() == [1.0]


def test_overflow_to_infinity_is_silent_even_when_numpy_would_raise():
    with np.errstate(all="raise"):
        assert array_from_data(1e300).tolist() == np.inf
        assert array_from_data([1e300, 1e-300]).tolist() == [np.inf, 0.0]
        assert array_from_data([[1.0], [7e4]], np.dtype("float16")).tolist() == [[1.0], [np.inf]]


def test_bfloat16_scalars_and_arrays_inside_lists():
    one = ml_dtypes.bfloat16(1.5)
    for data in ([one, one], [np.array(one), one], [one, 2]):
        array = array_from_data(data)
        # A Python int joins them; a list of bfloat16 stays bfloat16.
        assert array.dtype == np.dtype(ml_dtypes.bfloat16)
        assert float(array[0]) == 1.5


@pytest.mark.parametrize(
    ("scalar", "default", "expected"),
    [
        (True, "float32", "bool"),
        (3, "float32", "int64"),
        (1.5, "float32", "float32"),
        (1.5, "float64", "float64"),
        (1j, "float32", "complex64"),
        (1j, "float64", "complex128"),
        (np.float64(1), "float32", "float64"),
        (np.int8(1), "float32", "int8"),
    ],
)
def test_default_dtype_for_a_number(scalar, default, expected):
    assert default_dtype_for(scalar, np.dtype(default)) == np.dtype(expected)


def test_default_dtype_for_something_else_is_an_error():
    with pytest.raises(RuntimeError, match="Could not infer dtype of NoneType"):
        default_dtype_for(None)
    with pytest.raises(TypeError, match=r"can't convert np\.ndarray of type numpy\.longdouble"):
        default_dtype_for(np.longdouble(1))


# ----- Properties --------------------------------------------------------------------------------

SHAPES = hnp.array_shapes(min_dims=0, max_dims=4, min_side=1, max_side=4)


@given(hnp.arrays(np.float64, SHAPES, elements=st.floats(width=32)))
def test_nested_lists_give_the_array_back(array):
    again = array_from_data(array.tolist())
    assert np.array_equal(again, array.astype(np.float32), equal_nan=True)


@given(hnp.arrays(st.sampled_from([np.int8, np.float32, np.complex64]), SHAPES))
def test_rows_that_are_arrays_give_the_array_back(array):
    rows = list(array) if array.ndim else array
    again = array_from_data(rows)
    assert again.dtype == array.dtype
    assert np.array_equal(again, array, equal_nan=True)


def test_ten_times_the_numbers_take_about_ten_times_the_time():
    def seconds(count: int) -> float:
        data = [[float(i) for i in range(100)] for _ in range(count)]
        best = np.inf
        for _ in range(5):
            start = time.perf_counter()
            array_from_data(data)
            best = min(best, time.perf_counter() - start)
        return best

    assert seconds(1000) < 60 * seconds(100)


@pytest.mark.parametrize("kind", [np.matrix, np.ma.masked_array, np.recarray, np.memmap])
def test_relatives_of_arrays_become_plain_arrays(kind, tmp_path):
    values = np.array([[1.0, 2.0], [3.0, 4.0]])
    given = values.view(kind) if kind is not np.memmap else None
    if given is None:
        values.tofile(tmp_path / "values")
        given = np.memmap(tmp_path / "values", np.float64, "r", shape=(2, 2))
    if kind is np.ma.masked_array:
        given[0, 1] = np.ma.masked
    made = torch.tensor(given)
    assert made[0].shape == (2,) and str(made) == str(torch.tensor(values))
    assert (made * made).tolist() == [[1.0, 4.0], [9.0, 16.0]]
    assert torch.Tensor(given)[1].tolist() == [3.0, 4.0]
