"""Samples to batches: tensors are stacked, numbers become tensors, containers keep their form."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Mapping, MutableMapping, MutableSequence, Sequence
from typing import Any

import numpy as np

import chainrule as torch

np_str_obj_array_pattern = re.compile(r"[SaUO]")
default_collate_err_msg_format = (
    "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"
)
Rules = dict[Any, Callable[..., Any]]


def default_convert(data: Any) -> Any:
    """NumPy arrays and scalars inside a sample as tensors; everything else stays.

    >>> import numpy as np
    >>> default_convert({"a": np.ones(2, np.float32), "b": "text"})
    {'a': tensor([1., 1.]), 'b': 'text'}
    """
    if isinstance(data, torch.Tensor):
        return data
    if isinstance(data, np.ndarray | np.generic) and not isinstance(data, str | bytes):
        return data if data.dtype.kind in "SaUO" else torch.as_tensor(data)
    if isinstance(data, Mapping):
        return _mapping_like(data, {key: default_convert(data[key]) for key in data})
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*(default_convert(item) for item in data))
    if isinstance(data, tuple):
        return [default_convert(item) for item in data]
    if isinstance(data, Sequence) and not isinstance(data, str | bytes):
        return _sequence_like(data, [default_convert(item) for item in data])
    return data


def default_collate(batch: Any) -> Any:
    """A batch of a list of samples, which all have the same form.

    >>> default_collate([(1, {"a": 2.0}), (3, {"a": 4.0})])
    [tensor([1, 3]), {'a': tensor([2., 4.], dtype=torch.float64)}]
    """
    try:
        return collate(batch, collate_fn_map=default_collate_fn_map)
    except (RuntimeError, TypeError, ValueError, LookupError) as problem:
        from .collate_errors import explained

        raise explained(batch, problem) from None


def collate(batch: Any, *, collate_fn_map: Rules | None = None) -> Any:
    """As `default_collate`, with rules for element types: exact types first, then base classes."""
    first = batch[0]
    rule = _rule_for(first, collate_fn_map)
    if rule is not None:
        return rule(batch, collate_fn_map=collate_fn_map)
    if isinstance(first, Mapping):
        made = {
            key: collate([sample[key] for sample in batch], collate_fn_map=collate_fn_map)
            for key in first
        }
        return _mapping_like(first, made)
    if not isinstance(first, Sequence):
        raise TypeError(default_collate_err_msg_format.format(type(first)))
    lengths = [len(sample) for sample in batch]
    if any(length != lengths[0] for length in lengths):
        raise RuntimeError("each element in list of batch should be of equal size")
    columns = [
        collate(column, collate_fn_map=collate_fn_map) for column in zip(*batch, strict=True)
    ]
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*columns)
    return columns if isinstance(first, tuple) else _sequence_like(first, columns)


def _rule_for(first: Any, rules: Rules | None) -> Callable[..., Any] | None:
    if not rules:
        return None
    exact = rules.get(type(first))
    if exact is not None:
        return exact
    return next((rule for kinds, rule in rules.items() if isinstance(first, kinds)), None)


def _mapping_like(example: Any, made: dict[Any, Any]) -> Any:
    """The same kind of mapping, if it can be made."""
    try:
        if type(example) is dict:
            return made
        if isinstance(example, MutableMapping):
            clone = copy.copy(example)
            clone.update(made)
            return clone
        return type(example)(made)
    except TypeError:  # a mapping that wants other arguments
        return made


def _sequence_like(example: Any, made: list[Any]) -> Any:
    """The same kind of sequence, if it can be made."""
    try:
        if type(example) is list:
            return made
        if isinstance(example, MutableSequence):
            clone = copy.copy(example)
            for position, item in enumerate(made):
                clone[position] = item
            return clone
        return type(example)(made)
    except TypeError:  # range, and sequences that want other arguments
        return made


# ---- rules for single types ----------------------------------------------------------------------


def collate_tensor_fn(batch: Any, *, collate_fn_map: Rules | None = None) -> Any:
    """Tensors along a new first dimension."""
    return torch.stack(tuple(batch), 0)


def collate_numpy_array_fn(batch: Any, *, collate_fn_map: Rules | None = None) -> Any:
    """Arrays along a new first dimension."""
    if batch[0].dtype.kind in "SaUO":
        raise TypeError(default_collate_err_msg_format.format(batch[0].dtype))
    return collate([torch.as_tensor(array) for array in batch], collate_fn_map=collate_fn_map)


def collate_numpy_scalar_fn(batch: Any, *, collate_fn_map: Rules | None = None) -> Any:
    """NumPy numbers as one tensor of their type."""
    return torch.as_tensor(np.array(batch))


def collate_float_fn(batch: Any, *, collate_fn_map: Rules | None = None) -> Any:
    """Python floats as a float64 tensor."""
    return torch.tensor(batch, dtype=torch.float64)


def collate_int_fn(batch: Any, *, collate_fn_map: Rules | None = None) -> Any:
    """Python ints (and bools) as a tensor."""
    return torch.tensor(batch)


def collate_str_fn(batch: Any, *, collate_fn_map: Rules | None = None) -> Any:
    """Text stays as it is."""
    return batch


default_collate_fn_map: Rules = {
    torch.Tensor: collate_tensor_fn,
    np.ndarray: collate_numpy_array_fn,
    (np.bool_, np.number, np.object_): collate_numpy_scalar_fn,
    float: collate_float_fn,
    int: collate_int_fn,
    str: collate_str_fn,
    bytes: collate_str_fn,
}
default_collate_err_msg_format = (
    "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"
)
