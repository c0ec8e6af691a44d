"""The kinds of rows, and the objects they stand for."""

from __future__ import annotations

import enum
import importlib
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NoReturn

from ..autograd import refusal
from ..tensor.device import DeviceUnavailable


@dataclass(frozen=True)
class Reason:
    """Why something is refused: what it needs, and what to do instead."""

    title: str  # a heading of the generated page
    phrase: str  # the words people search for
    fix: str
    error: type[Exception] = NotImplementedError


@dataclass(frozen=True)
class Row:
    """Names of one module that share a fate."""

    module: str  # without `chainrule.`
    names: tuple[str, ...]

    def members(self, module: str) -> dict[str, Any]:
        """The objects, by name."""
        raise NotImplementedError


@dataclass(frozen=True)
class Refused(Row):
    """Importing and naming works; calling raises."""

    reason: Reason

    def members(self, module: str) -> dict[str, Any]:
        return {name: refused(module, name, self.reason) for name in self.names}


@dataclass(frozen=True)
class Inert(Row):
    """Calling does nothing, and gives what `result` makes of the arguments."""

    why: str
    result: Callable[..., Any] = field(default=lambda *args, **kwargs: None)

    def members(self, module: str) -> dict[str, Any]:
        return {name: inert(module, name, self.why, self.result) for name in self.names}


@dataclass(frozen=True)
class Answer(Row):
    """A value, or a function (`calls`) that gives it: the plain truth about this library."""

    value: Any
    why: str
    calls: bool = True

    def members(self, module: str) -> dict[str, Any]:
        if not self.calls:
            return dict.fromkeys(self.names, self.value)
        made = self.value if callable(self.value) else lambda *args, **kwargs: self.value
        return {name: inert(module, name, self.why, made) for name in self.names}


@dataclass(frozen=True)
class Same(Row):
    """Objects that live in another module of ours; PyTorch shows them here as well."""

    of: str

    def members(self, module: str) -> dict[str, Any]:
        home = importlib.import_module(f"chainrule.{self.of}" if self.of else "chainrule")
        names = self.names or tuple(n for n in dir(home) if not n.startswith("_"))
        return {name: getattr(home, name) for name in names}


@dataclass(frozen=True)
class Choices(Row):
    """An enumeration: naming a member works, what takes it says itself whether it does."""

    base: type[enum.Enum]
    values: dict[str, int | str]

    def members(self, module: str) -> dict[str, Any]:
        make: Any = self.base
        (name,) = self.names
        return {name: make(name, self.values, module=home_of(module))}


# ---- what refuses --------------------------------------------------------------------------------


def refuse(path: str, reason: Reason) -> NoReturn:
    """Raise what using a refused name raises."""
    raise refusal.of_kind(reason.error, f"{path} is not supported: {reason.phrase}", fix=reason.fix)


def refused(module: str, name: str, reason: Reason) -> Any:
    """A class for a name that begins with a capital letter, otherwise a function."""
    path = f"torch.{module}.{name}" if module else f"torch.{name}"
    doc = f"Refused on use: {reason.phrase}."
    home = home_of(module)

    def function(*args: Any, **kwargs: Any) -> NoReturn:
        refuse(path, reason)

    if not (name.lstrip("_")[:1].isupper() or name in _CLASSES):
        return _named(function, home, name, doc)
    if name.endswith(("Error", "Exception", "Warning")):  # programs catch it; nothing raises it
        base = Warning if name.endswith("Warning") else RuntimeError
        return type(name, (base,), {"__module__": home, "__doc__": "Never raised here."})
    # A class can be named, tested for, parametrised and derived from; it has no objects.
    space = {
        "__module__": home, "__qualname__": name, "__doc__": doc, "__new__": function,
        "__class_getitem__": classmethod(lambda cls, item: cls),
    }  # fmt: skip
    return type(name, (), space)


# Classes of PyTorch whose names begin with a small letter.
_CLASSES = frozenset(
    "check_env context cuBLASModule cuFFTPlanCache cuFFTPlanCacheAttrContextProp "
    "cuFFTPlanCacheManager cudaStatus device device_of elastic_launch env graph macros".split()
)


def inert(module: str, name: str, why: str, result: Callable[..., Any]) -> Any:
    """A function that only gives its result."""

    def function(*args: Any, **kwargs: Any) -> Any:
        return result(*args, **kwargs)

    return _named(function, home_of(module), name, f"{why[0].upper()}{why[1:]}.")


def home_of(module: str) -> str:
    """The full name of a module, which begins with `torch` under the import hook."""
    return f"{sys.modules[__name__.partition('.')[0]].__name__}.{module}".rstrip(".")


def _named(function: Any, module: str, name: str, doc: str) -> Any:
    function.__module__, function.__name__, function.__qualname__ = module, name, name
    function.__doc__ = doc
    return function


# ---- why -----------------------------------------------------------------------------------------


def _no_device(kind: str, guard: str) -> Reason:
    return Reason(
        f"It needs {kind}",
        f"Torch not compiled with {kind} enabled, chainrule computes on the CPU",
        f"guard the call with torch.{guard}.is_available().",
        DeviceUnavailable,
    )


CUDA = _no_device("CUDA", "cuda")
XPU = _no_device("XPU", "xpu")
MPS = _no_device("MPS", "mps")
MTIA = _no_device("MTIA", "mtia")
ACCELERATOR = Reason(
    "It needs an accelerator",
    "Cannot access accelerator device when none is available, chainrule computes on the CPU",
    "guard the call with torch.accelerator.is_available().",
    DeviceUnavailable,
)
PROCESSES = Reason(
    "It is a part of torch.distributed that is not written",
    "chainrule has collectives, DistributedDataParallel and sharding over MPI, and not this",
    "docs/distributed.md lists what there is.",
)
QUANTIZED = Reason(
    "It is a part of quantization that is not written",
    "chainrule quantizes Linear, Conv2d, LSTM and GRU, and has not this",
    "train and evaluate with torch.ao.quantization.FakeQuantize, which computes the same rounding "
    "in floating point.",
)
SCRIPT = Reason(
    "It needs TorchScript",
    "chainrule has no TorchScript: functions run as Python, or compiled by torch.compile",
    "call the function itself, or torch.compile it.",
)
CPP = Reason(
    "It needs PyTorch's C++ library",
    "it is a part of PyTorch's C++ library, and chainrule is written in Python",
    "do this with tensor functions, which chainrule.compile makes kernels of.",
)
TOOLS = Reason(
    "It works on PyTorch's own internals",
    "it works on PyTorch's internals, which chainrule does not have",
    "leave the call out; results do not depend on it.",
)
NOT_WRITTEN = Reason(
    "It is not written yet",
    "chainrule has no such tool yet",
    "do it with tensor functions; for pruning there is torch.nn.utils.prune.",
)
REMOVED = Reason(
    "PyTorch has removed it",
    "this function was deprecated and is removed from PyTorch",
    "use torch.linalg: lstsq, solve, eigh, eig, matrix_rank.",
    RuntimeError,
)
