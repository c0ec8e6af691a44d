"""Named results of functions that return several tensors, printed as PyTorch prints them.

>>> import chainrule as torch
>>> torch.tensor([[1., 3.], [4., 2.]]).max(dim=1)
torch.return_types.max(
values=tensor([3., 4.]),
indices=tensor([1, 0]))
"""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    # The types are made by `named`.
    def __getattr__(name: str) -> type[Any]: ...


class ReturnType(tuple):
    """A tuple of tensors whose entries have names; built from one sequence of them."""

    __slots__ = ()
    _names: tuple[str, ...] = ()
    n_fields = n_sequence_fields = 0
    n_unnamed_fields = 0

    def __repr__(self) -> str:
        parts = [f"{name}={value!r}" for name, value in zip(self._names, self, strict=True)]
        return f"torch.return_types.{type(self).__name__}(\n" + ",\n".join(parts) + ")"


def named(name: str, *fields: str) -> type[ReturnType]:
    """The result type `name` with these fields, made once and kept in this module."""
    found = globals().get(name)
    if isinstance(found, type) and issubclass(found, ReturnType) and found._names == fields:
        return found
    space: dict[str, Any] = {"__slots__": (), "__module__": __name__, "_names": fields}
    space["n_fields"] = space["n_sequence_fields"] = len(fields)
    for k, field in enumerate(fields):
        space[field] = property(itemgetter(k), doc=f"Entry {k}.")
    made = globals()[name] = type(name, (ReturnType,), space)
    return made


for _name in ("max", "min", "sort", "topk", "median", "nanmedian", "mode", "kthvalue", "cummax",
              "cummin"):  # fmt: skip
    named(_name, "values", "indices")
named("aminmax", "min", "max")
named("histogram", "hist", "bin_edges")
named("histogramdd", "hist", "bin_edges")
