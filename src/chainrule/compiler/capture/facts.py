"""Facts about tensors that are no values: where code may ask for them, they are guarded.

A function that names `is_leaf` may branch on it, though no op does. Names stand for the asking, as
for all else that a function can read (`sight.py`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ...autograd.value import TensorBase
from .sight import Scan
from .walk_tables import ASKS_FOR_ATTRIBUTES

# Name in code -> how the fact is read.
_FORMS = {
    "is_leaf": "{}.is_leaf", "grad_fn": "{}.grad_fn.__class__", "_version": "{}._version",
    "grad": "({}._grad is None)", "_base": "({}._view is None)", "_is_view": "({}._view is None)",
    "retains_grad": "{}.retains_grad", "output_nr": "{}.output_nr", "stride": "{}._a.strides",
    "is_contiguous": "{}._a.strides", "storage_offset": "{}.storage_offset()",
    "data_ptr": "{}.data_ptr()", "is_shared": "{}.is_shared()",
}  # fmt: skip


class Fact(NamedTuple):
    """What was so of an argument or of a tensor in sight when the call began."""

    argument: int | None  # its position, or None
    tensor: Any
    form: str
    value: Any


def facts_of(scan: Scan, leaves: list[Any]) -> list[Fact]:
    """All facts that code which the function can reach may ask for."""
    forms = dict.fromkeys(form for name, form in _FORMS.items() if scan.names(name))
    found = []
    for form in forms:
        read = eval(f"lambda t: {form.format('t')}")
        for i, leaf in enumerate(leaves):
            if isinstance(leaf, TensorBase):
                found.append(Fact(i, None, form, _asked(read, leaf)))
        for _, tensor in scan.tensors.values():
            found.append(Fact(None, tensor, form, _asked(read, tensor)))
    return found


def _asked(read: Any, tensor: Any) -> Any:
    try:
        return read(tensor)
    except Exception:
        return None


def hooks_of(tensor: Any) -> list[Any]:
    """The hooks that a backward pass runs at a tensor, in order."""
    found = (tensor._rare or {}).get("hooks")
    if found is None:
        return []
    kinds = (*found.tensor.values(), found.pre, found.post, found.post_accumulate)
    return [hook for kind in kinds for hook in kind.values()]


def same_facts(a: list[Fact], b: list[Fact]) -> bool:
    """Whether two calls of one kind began with the same facts."""
    return [(f.argument, f.form, f.value) for f in a] == [(f.argument, f.form, f.value) for f in b]


def named_attribute(scan: Scan, leaves: list[Any]) -> str | None:
    """An attribute that the caller gave to an argument and that code may read."""
    any_name = any(map(scan.names, ASKS_FOR_ATTRIBUTES))
    for leaf in leaves:
        if isinstance(leaf, TensorBase):
            for name in vars(leaf):
                if any_name or scan.names(name):
                    return name
    return None
