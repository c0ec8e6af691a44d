"""Devices: "cpu" computes, "meta" has shapes without data; others can be named, not used."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..autograd import source

KNOWN = ("cpu", "cuda", "mps", "xpu", "meta", "hip", "mkldnn", "xla", "vulkan", "hpu", "mtia",
         "privateuseone")  # fmt: skip


class device:
    """Where a tensor lives: device("cpu"), device("meta"), or a name to compare with."""

    __slots__ = ("index", "type")

    def __init__(self, type: Any = "cpu", index: int | None = None) -> None:  # noqa: A002
        if isinstance(type, device):
            type, index = type.type, type.index
        elif isinstance(type, int):
            type, index = "cuda", type
        elif ":" in type:
            type, _, number = type.partition(":")
            index = int(number)
        if type not in KNOWN:
            raise RuntimeError(
                f"Expected one of {', '.join(KNOWN)} device type at start of device string: {type}"
            )
        self.type: str = type
        self.index = index

    def __repr__(self) -> str:
        if self.index is None:
            return f"device(type='{self.type}')"
        return f"device(type='{self.type}', index={self.index})"

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __reduce__(self) -> Any:
        return device, (self.type, self.index)

    def __enter__(self) -> device:
        require(self)
        return self

    def __exit__(self, *exc: object) -> None:
        pass


CPU = device("cpu")
META = device("meta")


def require(d: Any) -> device:
    """A device that can be used here, or an error that says why not."""
    found = d if isinstance(d, device) else device(d)
    if found.type not in ("cpu", "meta"):
        raise RuntimeError(
            f"device '{found}' is not available: chainrule computes on the CPU (Torch not compiled "
            f"with {found.type.upper()} enabled)\n  at {source.here(3)}\n"
            "  Fix: use device='cpu', or ask torch.cuda.is_available() first."
        )
    return found


def place(t: Any, where: Any) -> Any:
    """The tensor on a device: itself on the CPU, a shape without data on meta."""
    if require(where).type == "cpu":
        return t
    t._a = np.broadcast_to(np.zeros((), t._a.dtype), t._a.shape)
    t._meta = {"device": "meta"}
    return t
