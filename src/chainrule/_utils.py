"""Small helpers of PyTorch's own that libraries import: flattening, exceptions, rebuilding."""

from __future__ import annotations

import importlib
import sys
import traceback
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn

from . import Tensor, cat, device, dtype, is_tensor

# ---- tensors as one vector -----------------------------------------------------------------------


def _flatten_dense_tensors(tensors: Iterable[Tensor]) -> Tensor:
    """All elements in one vector.

    >>> import chainrule as torch
    >>> flat = _flatten_dense_tensors([torch.ones(2), torch.zeros(1, 2)])
    >>> [list(t.shape) for t in _unflatten_dense_tensors(flat, [torch.ones(2), torch.zeros(1, 2)])]
    [[2], [1, 2]]
    """
    return cat([t.contiguous().view(-1) for t in tensors])


def _unflatten_dense_tensors(flat: Tensor, tensors: Iterable[Tensor]) -> tuple[Tensor, ...]:
    """The vector cut up again, in the shapes of these tensors."""
    found, start = [], 0
    for t in tensors:
        found.append(flat.narrow(0, start, t.numel()).view_as(t))
        start += t.numel()
    return tuple(found)


def _reorder_tensors_as(tensors: Sequence[Tensor], ordered_tensors: Sequence[Tensor]) -> Any:
    """Tensors that were grouped by type, in the order of others of the same types."""
    by_type: dict[str, list[Tensor]] = defaultdict(list)
    for t in tensors:
        by_type[t.type()].append(t)
    queues = {kind: iter(found) for kind, found in by_type.items()}
    return tuple(next(queues[t.type()]) for t in ordered_tensors)


def _take_tensors(tensors: Iterable[Tensor], size_limit: int) -> Iterable[list[Tensor]]:
    """Groups of one type, each of at most so many bytes."""
    groups: dict[str, tuple[list[Tensor], int]] = {}
    for t in tensors:
        size = t.numel() * t.element_size()
        group, total = groups.get(t.type(), ([], 0))
        if group and total + size > size_limit:
            yield group
            group, total = [], 0
        groups[t.type()] = ([*group, t], total + size)
    yield from (group for group, _ in groups.values() if group)


def _element_size(dtype: dtype) -> int:
    """The bytes of one number."""
    return dtype.itemsize


# ---- devices -------------------------------------------------------------------------------------


def _get_device_index(device: Any, optional: bool = False, allow_cpu: bool = False) -> int:
    """The number of a device; -1 for the CPU."""
    where = device_of(device)
    if isinstance(where, int):
        return where
    if where is not None and where.type == "cpu":
        if allow_cpu or optional:
            return -1 if where.index is None else where.index
    if where is None and optional:
        return -1
    raise ValueError(
        f"Expected a torch.device with a specified index or an integer, but got:{device}"
    )


def device_of(given: Any) -> Any:
    """A device for a name; numbers and None stay as they are."""
    return device(given) if isinstance(given, str) else given


def _get_all_device_indices() -> list[int]:
    """The numbers of all accelerators: none."""
    return []


def _get_available_device_type() -> str | None:
    """The accelerator that can be used: None."""
    return None


def _get_device_module(device_type: str) -> Any:
    """`torch.cuda` for "cuda"."""
    found = getattr(importlib.import_module("chainrule"), device_type, None)
    if found is None:
        raise RuntimeError(
            f"Device '{device_type}' does not have a corresponding module registered as "
            f"'torch.{device_type}'."
        )
    return found


def get_current_device_index() -> int:
    """The number of the accelerator in use: -1, there is none."""
    return -1


# ---- exceptions of workers -----------------------------------------------------------------------


class KeyErrorMessage(str):
    """The text of a KeyError, which shows its line ends."""

    def __repr__(self) -> str:
        return str(self)


class ExceptionWrapper:
    """An exception with the text of its traceback, to be raised in another thread or process."""

    def __init__(self, exc_info: Any = None, where: str = "in background") -> None:
        found = sys.exc_info() if exc_info is None else exc_info
        self.exc_type = found[0]
        self.exc_msg = "".join(traceback.format_exception(*found))  # pyright: ignore[reportArgumentType, reportCallIssue]
        self.where = where

    def reraise(self) -> NoReturn:
        """Raise it here; the text says where it came from."""
        kind: Any = self.exc_type
        text = f"Caught {kind.__name__} {self.where}.\nOriginal {self.exc_msg}"
        if kind is KeyError:
            text = KeyErrorMessage(text)
        elif getattr(kind, "message", None):
            raise kind(message=text)
        try:
            problem = kind(text)
        except Exception:  # its constructor wants something else
            raise RuntimeError(text) from None
        raise problem


# ---- others --------------------------------------------------------------------------------------


class _ClassPropertyDescriptor:
    """A property of the class itself."""

    def __init__(self, fget: Callable[[Any], Any]) -> None:
        self.fget = fget

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self.fget(type(instance) if owner is None else owner)


def classproperty(func: Any) -> Any:
    """A decorator: a property of the class itself."""
    return _ClassPropertyDescriptor(getattr(func, "__func__", func))


class CallbackRegistry:
    """Functions that are called together."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.callback_list: list[Callable[..., Any]] = []

    def add_callback(self, cb: Callable[..., Any]) -> None:
        """Call it from now on."""
        self.callback_list.append(cb)

    def fire_callbacks(self, *args: Any, **kwargs: Any) -> None:
        """Call all of them; what one raises is logged."""
        import logging

        for callback in self.callback_list:
            try:
                callback(*args, **kwargs)
            except Exception:
                log = logging.getLogger(__name__)
                log.exception("Exception in callback for %s registered with gpu trace", self.name)


def cpu_count() -> int:
    """The processors of this machine."""
    import os

    return os.cpu_count() or 1


def is_compiling() -> bool:
    """Whether a capture is running."""
    return importlib.import_module("chainrule").compiler.is_compiling()


def try_import(module_name: str) -> Any:
    """A module, or None where it is not installed."""
    import importlib.util

    if importlib.util.find_spec(module_name) is None:
        return None
    return importlib.import_module(module_name)


def render_call(fn: Any, args: Any, kwargs: Any) -> str:
    """A call as text, with types and shapes for tensors."""

    def text(value: Any) -> str:
        if is_tensor(value):
            return f"tensor({list(value.shape)}, dtype={value.dtype})"
        return repr(value)

    shown = [*map(text, args), *(f"{k}={text(v)}" for k, v in kwargs.items())]
    return f"{getattr(fn, '__name__', fn)}({', '.join(shown)})"


def get_tensor_metadata(tensor: Tensor) -> dict[str, bool]:
    """Flags that a file keeps of a tensor."""
    return {name: True for name in ("conj", "neg") if getattr(tensor, f"is_{name}")()}


def set_tensor_metadata(tensor: Tensor, metadata: dict[str, bool]) -> None:
    """Flags that were read from a file."""
    unknown = [name for name, value in metadata.items() if value]
    if unknown:
        raise RuntimeError(f"set_tensor_metadata: this tensor cannot become {unknown}")


_REBUILDERS = frozenset({
    "_rebuild_tensor", "_rebuild_tensor_v2", "_rebuild_tensor_v3", "_rebuild_parameter",
    "_rebuild_parameter_with_state", "_rebuild_sparse_tensor", "_rebuild_meta_tensor_no_storage",
    "_set_obj_state",
})  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _REBUILDERS:
        home = importlib.import_module("chainrule.serialization.rebuild")
        return getattr(home, "_set_attributes" if name == "_set_obj_state" else name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
