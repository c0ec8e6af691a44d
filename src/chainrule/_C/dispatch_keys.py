"""Keys under which functions are registered for an operator, as objects: see `torch.library`."""

from __future__ import annotations

import enum
import threading
from typing import Any

_DEVICES = (
    "CPU CUDA HIP XLA MPS IPU XPU HPU VE Lazy MTIA MAIA PrivateUse1 PrivateUse2 PrivateUse3 Meta"
).split()
# What a device's key begins with, and the key of all devices together, as PyTorch names it.
_OF_DEVICES = {
    "": "Dense", "Quantized": "Quantized", "Sparse": "Sparse", "SparseCsr": "SparseCsr",
    "NestedTensor": "NestedTensor", "Autograd": "AutogradFunctionality",
}  # fmt: skip
_OTHERS = """
    Undefined CompositeExplicitAutogradNonFunctional CompositeExplicitAutograd
    CompositeImplicitAutogradNestedTensor CompositeImplicitAutograd AutogradNestedTensor
    AutogradOther Autograd Conjugate ZeroTensor Negative BackendSelect ADInplaceOrView
    PythonTLSSnapshot Python FuncTorchDynamicLayerFrontMode FuncTorchDynamicLayerBackMode
    FuncTorchBatchedDecomposition FuncTorchBatched FuncTorchVmapMode FuncTorchGradWrapper
    PythonDispatcher PreDispatch Functionalize AutocastCPU AutocastMPS AutocastXPU AutocastHPU
    AutocastIPU AutocastCUDA AutocastPrivateUse1
"""


def _names() -> list[str]:
    names: list[str] = list(_OTHERS.split())
    for prefix, together in _OF_DEVICES.items():
        plural = f"{together}Backends"
        names += [together, f"StartOf{plural}", *(prefix + d for d in _DEVICES), f"EndOf{plural}"]
    return names


# The keys that are asked for here are few; the others can be named in texts and sets.
DispatchKey: Any = enum.Enum("DispatchKey", {name: name for name in _names()}, module=__name__)


class DispatchKeySet:
    """Several keys.

    >>> both = DispatchKeySet(DispatchKey.CPU) | DispatchKeySet(DispatchKey.Autograd)
    >>> both.has(DispatchKey.CPU), both.has(DispatchKey.CUDA)
    (True, False)
    """

    def __init__(self, *keys: Any) -> None:
        self.keys = frozenset(keys)

    def __or__(self, other: DispatchKeySet) -> DispatchKeySet:
        return DispatchKeySet(*(self.keys | other.keys))

    def __and__(self, other: DispatchKeySet) -> DispatchKeySet:
        return DispatchKeySet(*(self.keys & other.keys))

    def __sub__(self, other: DispatchKeySet) -> DispatchKeySet:
        return DispatchKeySet(*(self.keys - other.keys))

    def has(self, key: Any) -> bool:
        """Whether a key is among them."""
        return key in self.keys

    def __repr__(self) -> str:
        return f"DispatchKeySet({', '.join(sorted(k.value for k in self.keys))})"


_excluded = threading.local()


def is_excluded(key: Any) -> bool:
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
