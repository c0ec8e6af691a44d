"""What a user may give as `wrt`: a tensor, several, a module, or names of its parameters."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from ..autograd import refusal
from ..autograd.value import TensorBase
from ..nn.modules.module import Module
from ..reading import Names, Tape


def named_targets(wrt: Any, module: Any, names: Names) -> dict[str, Any]:
    """The tensors asked for, by name, in order."""
    found: dict[str, Any] = {}
    for name, tensor in _each(wrt, module):
        shown = name or names.of_tensor(tensor) or "x"
        while shown in found:
            shown += "'"
        found[shown] = tensor
    if not found:
        raise refusal.value("wrt names no tensor to explain")
    return found


def _each(wrt: Any, module: Any) -> list[tuple[str, Any]]:
    if isinstance(wrt, TensorBase):
        return [("", wrt)]
    if isinstance(wrt, Module):
        return [(n, p) for n, p in wrt.named_parameters() if p._rg]
    if isinstance(wrt, str):
        return [(wrt, _by_name(wrt, module))]
    if isinstance(wrt, Mapping):
        return [(str(n), _checked(t)) for n, t in wrt.items()]
    if isinstance(wrt, list | tuple):
        return [pair for one in wrt for pair in _each(one, module)]
    return [("", _checked(wrt))]


def _checked(t: Any) -> Any:
    if not isinstance(t, TensorBase):
        raise refusal.wrong_type(
            "wrt must be a tensor, several of them, a module, or a parameter's name with module=; "
            f"got {type(t).__name__}"
        )
    return t


def _by_name(name: str, module: Any) -> Any:
    if not isinstance(module, Module):
        raise refusal.wrong_type(
            f"wrt={name!r} is the name of a parameter: say of which module with module=..."
        )
    known = {**dict(module.named_parameters()), **dict(module.named_buffers())}
    if name in known:
        return known[name]
    near = difflib.get_close_matches(name, known, n=3) or list(known)[:3]
    raise KeyError(
        f"{type(module).__name__} has no parameter {name!r}; it has {', '.join(map(repr, near))}"
        f"{' and more' if len(known) > len(near) else ''}"
    )


def used(tape: Tape, tensors: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """(those that the output was computed from, the names of the others)."""
    found = {name: t for name, t in tensors.items() if t._rg and tape.find(t) is not None}
    return found, [name for name in tensors if name not in found]


def locate(tape: Tape, tensor: Any, shown: str) -> tuple[Any, int]:
    """The tensor's vertex and output number; an error where it is not in the graph."""
    if not tensor._rg:
        raise refusal.runtime(
            f"{shown} does not require grad, so nothing that leads to it was recorded.",
            fix=f"{shown}.requires_grad_() before computing the result.",
        )
    found = tape.find(tensor)
    if found is None:
        raise not_used(shown, tape)
    return found


def not_used(shown: str, tape: Tape) -> RuntimeError:
    """`x` is no part of what the output was computed from."""
    leaves = [v.title or f"a leaf of shape {list(v.leaf.shape)}" for v in tape.leaves]
    seen = ", ".join(leaves[:6]) + (f" and {len(leaves) - 6} more" if len(leaves) > 6 else "")
    return refusal.runtime(
        f"{shown} appears to not have been used in the graph of "
        f"{tape.root.title or 'the output'}: no path leads from one to the other.",
        why=f"What was used: {seen}.",
        fix="explain with respect to the tensor that was used (not a copy of it or one made "
        "later).",
    )


__all__ = ["locate", "named_targets", "not_used", "used"]
