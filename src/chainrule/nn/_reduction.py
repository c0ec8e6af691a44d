"""Reductions of losses as numbers, and the words for two old options."""

from __future__ import annotations

from ..autograd.source import warn_user

_NUMBERS = {"none": 0, "mean": 1, "elementwise_mean": 1, "sum": 2}


def get_enum(reduction: str) -> int:
    """The number of a reduction."""
    if reduction == "elementwise_mean":
        warn_user(
            "reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead."
        )
    if reduction not in _NUMBERS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return _NUMBERS[reduction]


def legacy_get_string(
    size_average: bool | None, reduce: bool | None, emit_warning: bool = True
) -> str:
    """The word for the options that were there before `reduction`."""
    size_average = True if size_average is None else size_average
    reduce = True if reduce is None else reduce
    found = "none" if not reduce else "mean" if size_average else "sum"
    if emit_warning:
        warn_user(
            "size_average and reduce args will be deprecated, please use "
            f"reduction='{found}' instead."
        )
    return found


def legacy_get_enum(
    size_average: bool | None, reduce: bool | None, emit_warning: bool = True
) -> int:
    """The number for the options that were there before `reduction`."""
    return get_enum(legacy_get_string(size_average, reduce, emit_warning))
