"""Why the samples of a batch cannot be joined: which of them differ, where, and what to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import chainrule as torch

from ....autograd import source
from .failure import _Verbatim

_MOST_SHOWN = 4
_PAD = (
    "make the samples alike in the dataset (crop, resize, pad), or pass a collate_fn to the "
    "DataLoader, such as one that calls torch.nn.utils.rnn.pad_sequence."
)
_OWN = "return the same kind of sample for every index, or pass a collate_fn to the DataLoader."


class Place:
    """Where samples are joined."""

    is_worker = False


def explained(batch: Any, problem: Exception) -> Exception:
    """An error of the same type that says more; looks at the samples only now that one occurred."""
    found = _difference(batch, "sample") if isinstance(batch, Sequence) else None
    what, fix = found or ("", _OWN)
    lines = [str(problem).split("\n")[0]]
    if what:
        lines.append(f"  default_collate joins the samples of a batch, but {what}.")
    lines += [*_where(), f"  Fix: {fix}"]
    text = "\n".join(lines)
    try:
        return type(problem)(_Verbatim(text) if isinstance(problem, KeyError) else text)
    except TypeError:  # a type that wants other arguments, from the user's own samples
        return problem


def _where() -> list[str]:
    """The user's line; a worker has none: its error is raised again where a batch is wanted."""
    return [] if Place.is_worker else [f"  at {source.here()}"]


def _difference(samples: Sequence[Any], place: str) -> tuple[str, str] | None:
    """What is wrong at a place of the samples, and the fix; None when nothing is found."""
    if not len(samples):
        return "there are none", "give it at least one sample: look at the batch sampler."
    first = samples[0]
    kinds = [_kind(s) for s in samples]
    if any(kind != kinds[0] for kind in kinds):
        return f"{place} is {_listed([_described(s) for s in samples])}", _OWN
    if isinstance(first, torch.Tensor | np.ndarray):
        shapes = [list(s.shape) for s in samples]
        if any(shape != shapes[0] for shape in shapes):
            return f"{place} has the shape {_listed([str(s) for s in shapes])}", _PAD
        if isinstance(first, np.ndarray) and first.dtype.kind in "SaUO":
            fix = "turn text into numbers, or return it as a str; or pass a collate_fn."
            return f"{place} is {_described(first)}", fix
        return None
    if isinstance(first, str | bytes | int | float | np.generic):
        return None
    if isinstance(first, Mapping):
        return _difference_of_mappings(samples, place)
    if isinstance(first, Sequence):
        return _difference_of_sequences(samples, place)
    fix = "return a number, tensor, array, string, or a tuple, list or dict of them"
    if first is None:
        fix = "leave None out of the samples, or put a number in its place"
    return f"{place} is {_described(first)}", f"{fix}; or pass a collate_fn to the DataLoader."


def _difference_of_mappings(samples: Sequence[Any], place: str) -> tuple[str, str] | None:
    for key in samples[0]:
        for number, sample in enumerate(samples):
            if key not in sample:
                keys = ", ".join(map(repr, list(sample)[:_MOST_SHOWN])) or "no key"
                what = f"the key {key!r} (number 0), only {keys} (number {number})"
                return f"{place} has {what}", _OWN
        found = _difference([s[key] for s in samples], f"{place}[{key!r}]")
        if found is not None:
            return found
    return None


def _difference_of_sequences(samples: Sequence[Any], place: str) -> tuple[str, str] | None:
    lengths = [len(s) for s in samples]
    if any(length != lengths[0] for length in lengths):
        return f"{place} has the length {_listed([str(n) for n in lengths])}", _PAD
    for k in range(lengths[0]):
        found = _difference([s[k] for s in samples], f"{place}[{k}]")
        if found is not None:
            return found
    return None


def _kind(value: Any) -> Any:
    """What samples must have in common."""
    if isinstance(value, torch.Tensor):
        return torch.Tensor
    if isinstance(value, bool | int | float | np.generic):
        return float
    return dict if isinstance(value, Mapping) else type(value)


def _described(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        return f"a tensor of shape {list(value.shape)}"
    if isinstance(value, np.ndarray):
        return f"an array of shape {list(value.shape)} and type {value.dtype}"
    return "None" if value is None else f"of type {type(value).__name__}"


def _listed(descriptions: list[str]) -> str:
    """`[2] (number 0), [3] (number 4)`: each description with the first sample that has it."""
    first_with: dict[str, int] = {}
    for number, text in enumerate(descriptions):
        first_with.setdefault(text, number)
    shown = [f"{text} (number {n})" for text, n in list(first_with.items())[:_MOST_SHOWN]]
    more = len(first_with) - len(shown)
    return ", ".join(shown) + (f" and {more} others" if more else "")
