"""Columns of pandas, Arrow and Polars as data: values that are missing."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..autograd import refusal


def check_missing(column: Any, array: np.ndarray) -> None:
    """An error for a column of integers or truth values in which some are missing.

    NumPy's array of it is of floats with NaN, or of objects: the type would change unasked. In a
    column of floats a missing value is NaN, which is what a tensor would say too.
    """
    if array.dtype.kind not in "fO":
        return
    kind = getattr(column, "dtype", getattr(column, "type", None))
    word = str(kind).lower()
    if not word.startswith(("int", "uint", "bool")):
        return
    missing = _missing(column)
    if missing:
        raise refusal.wrong_type(
            f"can't convert a column of type {kind} with {missing} missing values (of "
            f"{len(column)}): a tensor of integers or truth values has none",
            fix="fill them first (pandas: column.fillna(0); Arrow: column.fill_null(0)), or "
            "convert the column to floats, where they become NaN.",
        )


def _missing(column: Any) -> int:
    """How many values of a column are missing."""
    count = getattr(column, "null_count", None)
    if count is not None:
        found: Any = count() if callable(count) else count
        return int(found)
    isna = getattr(column, "isna", None)
    return int(np.asarray(isna()).sum()) if isna is not None else 0
