"""Columns of pandas, Arrow and Polars as tensors."""

import numpy as np
import pytest

import chainrule as torch


class Column:
    """What tells a column of a data frame from an array: it knows which values are missing."""

    def __init__(self, array, dtype, missing):
        self.array, self.dtype, self.null_count = np.asarray(array), dtype, missing

    def __array__(self, dtype=None, copy=None):
        return self.array if dtype is None else self.array.astype(dtype)

    def __len__(self):
        return len(self.array)


@pytest.mark.parametrize("make", [torch.tensor, torch.as_tensor])
def test_missing_integers_are_an_error_missing_floats_are_nan(make):
    for values, dtype in [([1.0, np.nan], "Int64"), (np.array([True, None]), "boolean")]:
        with pytest.raises(TypeError, match=r"column of type .* with 1 missing values \(of 2\)"):
            make(Column(values, dtype, 1))
    assert make(Column([1.5, np.nan], "Float64", 1)).isnan().tolist() == [False, True]
    assert make(Column([1, 2], "Int64", 0)).dtype is torch.int64


def test_columns_of_pandas():
    pd = pytest.importorskip("pandas", reason="needs pandas")
    frame = pd.DataFrame({"f": [1.0, 2.0], "i": [1, 2], "n": pd.array([1, None], dtype="Int64")})
    assert torch.tensor(frame["f"]).tolist() == [1.0, 2.0]
    assert torch.as_tensor(frame["i"]).dtype is torch.int64
    assert torch.from_numpy(frame[["f", "i"]].to_numpy()).shape == (2, 2)
    assert torch.tensor(frame[["f", "i"]]).dtype is torch.float64
    with pytest.raises(TypeError, match="Int64 with 1 missing values"):
        torch.tensor(frame["n"])
    assert torch.tensor(frame["n"].fillna(0)).tolist() == [1, 0]


def test_arrays_of_arrow():
    pa = pytest.importorskip("pyarrow", reason="needs pyarrow")
    array = pa.array([1.0, 2.0, 3.0])
    shared = torch.from_dlpack(array[1:])
    assert shared.tolist() == [2.0, 3.0]
    assert shared.data_ptr() == array.buffers()[1].address + 8
    with pytest.raises(RuntimeError, match="read-only"):
        shared.fill_(0)
    assert torch.tensor(pa.array([True, False])).dtype is torch.bool
    assert torch.tensor(pa.chunked_array([[1], [2]])).tolist() == [1, 2]
    assert torch.tensor(pa.array([1.0, None])).isnan().tolist() == [False, True]
    for missing in (pa.array([1, None]), pa.array([True, None]), pa.chunked_array([[1], [None]])):
        with pytest.raises(TypeError, match="1 missing values"):
            torch.tensor(missing)


def test_columns_of_polars():
    pl = pytest.importorskip("polars", reason="needs polars")
    assert torch.tensor(pl.Series([1, 2])).dtype is torch.int64
    assert torch.tensor(pl.DataFrame({"a": [1, 2], "b": [1.0, 2.0]})).shape == (2, 2)
    with pytest.raises(TypeError, match="Int64 with 1 missing values"):
        torch.tensor(pl.Series([1, None]))
