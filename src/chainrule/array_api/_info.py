"""What the namespace can do: `__array_namespace_info__`."""

from __future__ import annotations

from typing import Any

import chainrule as torch

from ..autograd import refusal
from ..autograd.accidents import explain_module
from . import _types as types


class __array_namespace_info__:
    """Capabilities, devices and data types of the namespace."""

    __module__ = "chainrule.array_api"

    def capabilities(self) -> dict[str, Any]:
        """Optional behaviour: boolean masks as indices, shapes that depend on values."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> Any:
        """Where arrays are made."""
        return torch.get_default_device()

    def devices(self) -> list[Any]:
        """All devices."""
        return [torch.device("cpu")]

    def default_dtypes(self, *, device: Any = None) -> dict[str, Any]:
        """The types of arrays for which none is named."""
        _checked(device)
        return {
            "real floating": torch.get_default_dtype(),
            "complex floating": types.default_complex(),
            "integral": types.int64,
            "indexing": types.int64,
        }

    def dtypes(self, *, device: Any = None, kind: Any = None) -> dict[str, Any]:
        """The types by their names, of all kinds or some."""
        _checked(device)
        if kind is None:
            return dict(types.DTYPES)
        return {name: d for name, d in types.DTYPES.items() if types.isdtype(d, kind)}


def _checked(device: Any) -> None:
    if device is not None and torch.device(device).type != "cpu":
        raise refusal.value(f"the only device is the CPU, not {device!r}")


explain_module(globals())
