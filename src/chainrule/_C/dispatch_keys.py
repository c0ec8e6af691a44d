"""Keys under which functions are registered for an operator, as objects: see `torch.library`."""

from __future__ import annotations

import enum
import threading
from typing import Any


class DispatchKey(enum.Enum):
    """The keys that are asked for here; others can be named in texts."""

    CPU = "CPU"
    CUDA = "CUDA"
    XPU = "XPU"
    MPS = "MPS"
    Meta = "Meta"
    Autograd = "Autograd"
    AutogradCPU = "AutogradCPU"
    AutogradCUDA = "AutogradCUDA"
    AutocastCPU = "AutocastCPU"
    AutocastCUDA = "AutocastCUDA"
    AutocastXPU = "AutocastXPU"
    AutocastMPS = "AutocastMPS"
    BackendSelect = "BackendSelect"
    CompositeExplicitAutograd = "CompositeExplicitAutograd"
    CompositeImplicitAutograd = "CompositeImplicitAutograd"
    Functionalize = "Functionalize"
    Python = "Python"
    ADInplaceOrView = "ADInplaceOrView"
    PrivateUse1 = "PrivateUse1"


class DispatchKeySet:
    """Several keys.

    >>> both = DispatchKeySet(DispatchKey.CPU) | DispatchKeySet(DispatchKey.Autograd)
    >>> both.has(DispatchKey.CPU), both.has(DispatchKey.CUDA)
    (True, False)
    """

    def __init__(self, *keys: DispatchKey) -> None:
        self.keys = frozenset(keys)

    def __or__(self, other: DispatchKeySet) -> DispatchKeySet:
        return DispatchKeySet(*(self.keys | other.keys))

    def __and__(self, other: DispatchKeySet) -> DispatchKeySet:
        return DispatchKeySet(*(self.keys & other.keys))

    def __sub__(self, other: DispatchKeySet) -> DispatchKeySet:
        return DispatchKeySet(*(self.keys - other.keys))

    def has(self, key: DispatchKey) -> bool:
        """Whether a key is among them."""
        return key in self.keys

    def __repr__(self) -> str:
        return f"DispatchKeySet({', '.join(sorted(k.value for k in self.keys))})"


_excluded = threading.local()


def is_excluded(key: DispatchKey) -> bool:
    """Whether a block around this call leaves out a key."""
    return any(keys.has(key) for keys in getattr(_excluded, "stack", ()))


class _ExcludeDispatchKeyGuard:
    """A block in which functions registered under some keys are not asked."""

    def __init__(self, keys: DispatchKeySet) -> None:
        self.keys = keys

    def __enter__(self) -> None:
        _excluded.stack = [*getattr(_excluded, "stack", ()), self.keys]

    def __exit__(self, *problem: Any) -> None:
        _excluded.stack = _excluded.stack[:-1]
