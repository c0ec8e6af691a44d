"""Hooks on tensors: `register_hook`, `retain_grad`, post-accumulate hooks, multi-grad hooks."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from typing import Any
from weakref import ref

from ..ops.locks import Lock
from ..ops.weak import WeakTable
from . import refusal
from .accidents import in_words
from .node import UNTRACKED, Hooks, OutSlot, RemovableHandle, hooks_of, leaf_hooks
from .record import edge_inside
from .state import STATE
from .value import TensorBase


def _place(t: Any) -> tuple[Hooks, int]:
    """Where a tensor's hooks live: (the hooks of its node or leaf, output number)."""
    e = edge_inside(t)
    if e.__class__ is OutSlot:
        return hooks_of(e.node), e.nr
    if isinstance(e, TensorBase):
        return leaf_hooks(e), 0
    # No gradient reaches an untracked view, unless it becomes a leaf of its own.
    return (leaf_hooks(t) if e is UNTRACKED else hooks_of(e)), 0


def register_hook(self: Any, hook: Callable[[Any], Any]) -> RemovableHandle:
    """Call hook(grad) whenever this tensor's gradient is computed; a returned tensor replaces it.

    >>> import chainrule as torch
    >>> x = torch.tensor(2.0, requires_grad=True)
    >>> handle = x.register_hook(lambda g: g * 10)
    >>> (x * 3).backward()
    >>> x.grad
    tensor(30.)
    """
    if not self._rg:
        raise refusal.runtime(
            "cannot register a hook on a tensor that doesn't require gradient",
            fix="call requires_grad_() on it first.",
        )
    hooks, nr = _place(self)
    return hooks.add(hooks.tensor.setdefault(nr, OrderedDict()), hook)


def backward_hooks(self: Any) -> OrderedDict[int, Any] | None:
    """The hooks that `register_hook` put here, by the ids of their handles; None without one."""
    if not self._rg:
        rare: dict[str, Any] = self._rare or {}
        return rare.get("backward_hooks")
    hooks, nr = _place(self)
    return hooks.tensor.get(nr)


def set_backward_hooks(self: Any, mapping: OrderedDict[int, Any] | None) -> None:
    """Put these hooks in place of those that `register_hook` put here; None: none. A tensor
    without gradients keeps them, and nothing calls them."""
    if not self._rg:
        self._rare = {**(self._rare or {}), "backward_hooks": mapping}
        return
    hooks, nr = _place(self)
    if mapping is None:
        hooks.tensor.pop(nr, None)
    else:
        hooks.tensor[nr] = mapping


def register_post_accumulate_grad_hook(self: Any, hook: Callable[[Any], Any]) -> RemovableHandle:
    """Call hook(tensor) after its gradient was added into `.grad`."""
    if not self._rg:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    if self.grad_fn is not None:
        raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
    hooks = leaf_hooks(self)
    return hooks.add(hooks.post_accumulate, hook)


def retain_grad(self: Any) -> None:
    """Also keep `.grad` of this tensor that is no leaf."""
    if not self._rg:
        raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
    if STATE.levels and STATE.in_transform():
        raise RuntimeError(
            "You are attempting to call Tensor.retain_grad() inside of a function being "
            "transformed by a functorch transform: .grad of a tensor of the transform would be "
            "lost. Fix: return the tensor, and differentiate with respect to it by func.vjp."
        )
    if self._node is None or self._node is UNTRACKED or retains_grad(self):
        return
    hooks, nr = _place(self)
    hooks.retain[nr] = ref(self)


def retains_grad(self: Any) -> bool:
    """Whether retain_grad() was called on this tensor that is no leaf."""
    if not self._rg:
        return False
    meta: Any = self._rare or {}
    e: Any = meta.get("retained_at", self._node)  # there if its shape was changed since
    nr = e.nr if e.__class__ is OutSlot else 0
    node = e.node if e.__class__ is OutSlot else e
    if node is None or node.hooks is None:
        return False
    found = node.hooks.retain.get(nr)
    return found is not None and found() is self


class _MultiHandle(RemovableHandle):
    def __init__(self, handles: Sequence[RemovableHandle]) -> None:
        self.handles = tuple(handles)

    def remove(self) -> None:
        for handle in self.handles:
            handle.remove()


def register_multi_grad_hook(
    tensors: Sequence[Any], fn: Callable[..., Any], *, mode: str = "all"
) -> RemovableHandle:
    """Call fn once all (or any) of the tensors' gradients are computed in a backward pass.

    With "all" fn gets a list of gradients, None for those that the pass does not compute; with
    "any" the first gradient of each pass. Passes do not see each other's gradients.
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    given: tuple[Any, ...] = tuple(tensors) if isinstance(tensors, Iterable) else (None,)
    if not all(isinstance(t, TensorBase) for t in given):
        raise refusal.wrong_type(
            f"register_multi_grad_hook takes tensors in a list, not {in_words(tensors)}"
        )
    lock = Lock()
    seen = WeakTable()  # what a pass brought so far
    if mode == "any":

        def first(grad: Any) -> None:
            with lock:
                done = seen.get(STATE.passes[-1], False)
                seen[STATE.passes[-1]] = True
            if not done:
                fn(grad)

        return _MultiHandle([register_hook(t, first) for t in given if t._rg])
    edges = [edge_inside(t) for t in given]

    def finish(walk: Any) -> None:
        """Not all came: a function on the way left a gradient undefined."""
        with lock:
            entry = seen.get(walk)
            if entry is not None:
                del seen[walk]
        if entry is not None:
            fn(entry[1])

    def collect(k: int) -> Callable[[Any], None]:
        def inner(grad: Any) -> None:
            walk = STATE.passes[-1]
            with lock:
                entry: list[Any] | None = seen.get(walk)
                if entry is None:  # [how many are still to come, the gradients]
                    coming = sum(e is not None and walk.reaches(e) for e in edges)
                    entry = seen[walk] = [coming, [None] * len(given)]
                    walk.at_end.append(lambda: finish(walk))
                entry[0] -= 1
                entry[1][k] = grad
                complete = entry[0] == 0
                if complete:
                    del seen[walk]
            if complete:
                fn(entry[1])

        return inner

    return _MultiHandle([register_hook(t, collect(k)) for k, t in enumerate(given)])
