"""Devices: "cpu" computes, "meta" has shapes without data; others can be named, not used."""

from __future__ import annotations

from typing import Any

from ..autograd import refusal, source
from ..autograd.accidents import PROBLEMS, explain_here
from ..autograd.state import DEVICE, STATE
from ..ops.locks import local

KNOWN = (
    "cpu", "cuda", "ipu", "xpu", "mkldnn", "opengl", "opencl", "ideep", "hip", "ve", "fpga",
    "maia", "xla", "lazy", "vulkan", "mps", "meta", "hpu", "mtia", "privateuseone",
)  # fmt: skip


class DeviceUnavailable(RuntimeError, AssertionError):
    """A device that this library cannot compute on was used.

    It is an AssertionError as well because that is what PyTorch raises for CUDA.
    """


class device:
    """Where a tensor lives: device("cpu"), device("meta"), or a name to compare with.

    As a context manager it is where the creation functions put new tensors.
    """

    __slots__ = ("index", "type")

    def __init__(self, type: Any = "cpu", index: int | None = None) -> None:
        try:
            kind = type
            if isinstance(kind, device):
                kind, index = kind.type, kind.index
            elif isinstance(kind, int):
                raise refusal.runtime(
                    f"Cannot access accelerator device when none is available: device({kind}) "
                    "names a GPU by its number, and chainrule computes on the CPU",
                    fix="device('cpu').",
                )
            elif ":" in kind:
                kind, _, number = kind.partition(":")
                if not number.isdecimal():
                    raise RuntimeError(f"Invalid device string: '{type}'")
                index = int(number)
            if kind not in KNOWN:
                raise RuntimeError(
                    f"Expected one of {', '.join(KNOWN)} device type at start of device string: "
                    f"{kind}"
                )
            self.type: str = kind
            self.index = index
        except PROBLEMS as problem:
            explain_here(problem)
            raise

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
        _DEFAULT.stack.append(self)
        _note_default()
        return self

    def __exit__(self, *exc: object) -> None:
        _DEFAULT.stack.pop()
        _note_default()


class _Default(local):
    """The devices of the active `with device(...)` blocks, and the one set for the thread."""

    def __init__(self) -> None:
        self.stack: list[device] = []


_DEFAULT = _Default()

CPU = device("cpu")
META = device("meta")


def get_default_device() -> device:
    """Where creation functions put tensors when not told."""
    return _DEFAULT.stack[-1] if _DEFAULT.stack else CPU


def set_default_device(device: Any) -> None:
    """Set where creation functions put tensors; None means the CPU."""
    _DEFAULT.stack[:] = [] if device is None else [require(device)]
    _note_default()


def _note_default() -> None:
    """A default device besides the CPU counts among what is unusual: compiled calls ask."""
    (STATE.turn_off if get_default_device() == CPU else STATE.turn_on)(DEVICE)


def require(d: Any) -> device:
    """A device that can be used here, or an error that says why not."""
    found = d if isinstance(d, device) else device(d)
    if found.type not in ("cpu", "meta"):
        phrase = f"Torch not compiled with {found.type.upper()} enabled"
        if found.type == "mps":
            phrase = "PyTorch is not linked with support for mps devices"
        raise DeviceUnavailable(
            f"{phrase}: device '{found}' is not available, chainrule computes on the CPU\n"
            f"  at {source.here()}\n"
            f"  Fix: use device='cpu', or ask torch.{found.type}.is_available() first."
        )
    return found


def place(t: Any, where: Any) -> Any:
    """A new tensor on a device: itself on the CPU, a shape without data on meta."""
    if require(where).type == "cpu":
        return t
    return move(t, where)


def move(t: Any, where: Any) -> Any:
    """The tensor on the other device."""
    from .meta import meta_like

    if require(where).type == "meta":
        return meta_like(t)
    raise refusal.not_implemented(
        f"Cannot copy out of meta tensor; no data! A meta tensor of shape {list(t.shape)} has no "
        f"values to move to {where}",
        fix="make a tensor with torch.empty_like(t, device='cpu') (module.to_empty for modules) "
        "and fill it.",
    )
