"""`torch.utils._python_dispatch`: modes that are asked about every operator, below autograd.

>>> import chainrule as torch
>>> from chainrule.utils._python_dispatch import TorchDispatchMode
>>> class Names(TorchDispatchMode):
...     seen: list = []
...     def __torch_dispatch__(self, func, types, args=(), kwargs=None):
...         self.seen.append(str(func))
...         return func(*args, **(kwargs or {}))
>>> with Names() as names:
...     y = torch.nn.functional.linear(torch.ones(2, 3), torch.ones(1, 3), torch.ones(1)).relu()
>>> names.seen[-3:]
['aten.t.default', 'aten.addmm.default', 'aten.relu.default']
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..autograd.state import STATE
from ..autograd.value import TensorBase
from ..tensor.tensor import Tensor


class TorchDispatchMode:
    """A block in which every operator is put before `__torch_dispatch__`.

    Inside of that method the mode is off: `func(*args, **kwargs)` asks the modes around it, then
    the classes of the arguments, and then computes. Nothing inside is recorded by autograd.
    """

    supports_higher_order_operators = False

    def __init__(self, _dispatch_key: Any = None) -> None:
        self._dispatch_key = _dispatch_key

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """What the operator does; to be written by the subclass."""
        raise NotImplementedError(
            f"{type(self).__name__} has no __torch_dispatch__(self, func, types, args, kwargs)"
        )

    def __enter__(self) -> Any:
        _push_mode(self)
        return self

    def __exit__(self, *exc: object) -> None:
        _pop_mode()

    @classmethod
    def push(cls, *args: Any, **kwargs: Any) -> Any:
        """An object of the class: the old way to write `with Mode():`."""
        return cls(*args, **kwargs)

    @classmethod
    def is_infra_mode(cls) -> bool:
        """Whether the mode is part of the library."""
        return False


class BaseTorchDispatchMode(TorchDispatchMode):
    """A mode that changes nothing."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


def _push_mode(mode: Any) -> None:
    from ..dispatcher.asking import push_mode

    push_mode(mode)


def _pop_mode(k: Any = None) -> Any:
    from ..dispatcher.asking import pop_mode

    return pop_mode()


@contextlib.contextmanager
def _pop_mode_temporarily(k: Any = None) -> Iterator[Any]:
    mode = _pop_mode(k)
    try:
        yield mode
    finally:
        _push_mode(mode)


@contextlib.contextmanager
def _disable_current_modes() -> Iterator[list[Any]]:
    taken = [_pop_mode() for _ in range(_len_torch_dispatch_stack())]
    try:
        yield taken
    finally:
        for mode in reversed(taken):
            _push_mode(mode)


def _get_current_dispatch_mode() -> Any:
    return STATE.dispatch_modes[-1] if STATE.dispatch_modes else None


def _get_current_dispatch_mode_stack() -> list[Any]:
    return list(STATE.dispatch_modes)


def _len_torch_dispatch_stack() -> int:
    return len(STATE.dispatch_modes)


def is_in_torch_dispatch_mode(include_infra_modes: bool = True) -> bool:
    """Whether a mode is on.

    >>> is_in_torch_dispatch_mode()
    False
    """
    modes = STATE.dispatch_modes
    return any(include_infra_modes or not m.is_infra_mode() for m in modes)


is_in_any_mode_without_ignore_compile_internals = is_in_torch_dispatch_mode


# ---- tensors that hold others --------------------------------------------------------------------


def is_traceable_wrapper_subclass(t: Any) -> bool:
    """Whether a tensor holds others and says which: `__tensor_flatten__`, `__tensor_unflatten__`.

    >>> import chainrule as torch
    >>> is_traceable_wrapper_subclass(torch.ones(2))
    False
    """
    return is_traceable_wrapper_subclass_type(type(t)) and isinstance(t, Tensor)


def is_traceable_wrapper_subclass_type(t: type) -> bool:
    """The same of a class."""
    return (
        issubclass(t, Tensor)
        and t is not Tensor
        and hasattr(t, "__tensor_flatten__")
        and hasattr(t, "__tensor_unflatten__")
    )


def transform_subclass(
    t: Any,
    callback: Callable[[str, Any], Any],
    outer_size: Any = None,
    outer_stride: Any = None,
) -> Any:
    """The wrapper around what `callback(name, tensor)` makes of the tensors inside."""
    size = t.size() if outer_size is None else outer_size
    stride = t.stride() if outer_stride is None else outer_stride
    names, context = t.__tensor_flatten__()
    changed = {name: callback(name, getattr(t, name)) for name in names}
    made = type(t).__tensor_unflatten__(changed, context, size, stride)
    if tuple(made.shape) != tuple(size):
        raise AssertionError(
            f"transform_subclass: expected a tensor of size {tuple(size)}, but "
            f"{type(t).__name__}.__tensor_unflatten__ gave {tuple(made.shape)}"
        )
    return made


def return_and_correct_aliasing(func: Any, args: Any, kwargs: Any, out: Any) -> Any:
    """What a wrapper's `__torch_dispatch__` should return: arguments that were written are returned
    themselves, and the result of a view shares what its base has.
    """
    found = _aliases(func)
    writes, returns, is_view = found
    values = func._schema.bind(tuple(args), dict(kwargs or {}))
    if is_view:
        base = next((values[a] for a in values if isinstance(values[a], Tensor)), None)
        for t in out if isinstance(out, list | tuple) else (out,):
            if isinstance(t, TensorBase) and isinstance(base, TensorBase) and t is not base:
                t._v = base._v if base._v is not None else t._v
    if not writes:
        return out
    results = list(out) if isinstance(out, list | tuple) else [out]
    for k, name in enumerate(returns):
        if name is not None and k < len(results):
            results[k] = values[name]
    if isinstance(out, list | tuple):
        return type(out)(results) if not hasattr(out, "_make") else out._make(results)  # type: ignore
    return results[0]


@functools.cache
def _aliases(func: Any) -> tuple[bool, list[str | None], bool]:
    """Whether an operator writes; which argument each result is; whether results are views."""
    schema = func._schema
    written = {a.alias_info.rstrip("!").strip(): a.name for a in schema.arguments if a.is_write}
    returns: list[str | None] = []
    views = False
    for r in schema.returns:
        key = None if r.alias_info is None else r.alias_info.rstrip("!").strip()
        returns.append(written.get(key) if key is not None else None)
        views = views or (key is not None and key not in written)
    return bool(written), returns, views


def autograd_would_have_decomposed(func: Any, flat_args: Sequence[Any]) -> bool:
    """Whether autograd would have put an operator together of others: never below it."""
    return False


def _detect_infra_mode(key: Any) -> Any:
    return None
