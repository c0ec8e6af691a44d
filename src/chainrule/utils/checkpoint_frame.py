"""Recomputation without re-entering the engine: saved-tensor hooks over a frame.

While a checkpointed function runs forward, every tensor the tape would save is replaced by a
`Slot`, which holds nothing. When backward asks the first slot of a frame for its value, the
function runs again under hooks that catch the same tensors in the same order and put them into the
slots still alive; each is handed out once and forgotten. The recomputed graph itself is dropped.

A frame inside another one saves its inputs through the outer one's hooks, so nesting needs nothing
special: asking for an inner slot may first make the outer frame recompute.
"""

from __future__ import annotations

import contextlib
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

from ..autograd import source
from ..autograd.modes import enable_grad
from ..autograd.saved_hooks import pack_tensor, saved_tensors_hooks, unpack_tensor
from ..autograd.state import STATE
from ..autograd.value import TensorBase, make


class CheckpointError(RuntimeError):
    """The recomputation of a checkpointed function did not repeat what its forward pass did."""


class StopRecomputation(BaseException):
    """Everything needed has been recomputed. Not an Exception: user code must not catch it."""


class Slot:
    """The place of one saved tensor of a checkpointed function."""

    __slots__ = ("__weakref__", "frame", "kept")

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.kept: Any = None  # (tensor, its version list, the version) once recomputed


class SavedInput:
    """A tensor argument kept for the recomputation, through the hooks of an outer frame if any."""

    __slots__ = ("kept", "unpack", "version")

    def __init__(self, t: Any) -> None:
        self.kept, self.unpack = pack_tensor(t) if STATE.saved_hooks else (t, None)
        self.version = t._v[0] if t._v is not None else 0

    def get(self, where: str) -> Any:
        if self.unpack is not None:
            return unpack_tensor(self.kept, self.unpack)
        t = self.kept
        if t._v is not None and t._v[0] != self.version:
            raise modified(t, t._v, f"an argument of the function checkpointed at {where}")
        return t


class SavedInputs:
    """Positional arguments, their tensors saved, and which of them require gradients."""

    def __init__(self, args: tuple[Any, ...]) -> None:
        self.args = tuple(SavedInput(a) if isinstance(a, TensorBase) else a for a in args)
        self.wanted = tuple(isinstance(a, TensorBase) and a._rg for a in args)

    def get(self, where: str) -> tuple[Any, ...]:
        """The arguments again; what comes out of an outer frame gets its flag back."""
        return tuple(
            _flagged(a.get(where), wanted) if isinstance(a, SavedInput) else a
            for a, wanted in zip(self.args, self.wanted, strict=True)
        )


def _flagged(t: Any, wanted: bool) -> Any:
    return t if t._rg is wanted else t.detach().requires_grad_(wanted)


def modified(t: Any, version: Any, what: str) -> RuntimeError:
    """The error for a tensor that was overwritten between its use and the recomputation."""
    by = "an in-place operation"
    if len(version) > 3:
        by = f"{version[1]} at {source.describe(version[2], version[3])}"
    return RuntimeError(
        "one of the variables needed for gradient computation has been modified by an inplace "
        f"operation: a tensor of shape {list(t.shape)}, {what}.\n"
        f"  modified by: {by}\n"
        "  Fix: use the out-of-place form of the modifying operation, or modify a .clone()."
    )


class Frame:
    """One call of a checkpointed function: its slots, and how to run it again."""

    watchers: ClassVar[list[Callable[[list[Any]], None]]] = []  # told what was recomputed

    def __init__(
        self,
        recompute: Callable[[], Any],
        *,
        early_stop: bool = True,
        describe: Callable[[Any], Any] | None = None,
        explain: Callable[[CheckpointError], CheckpointError] | None = None,
    ) -> None:
        self.recompute = recompute
        self.early_stop = early_stop
        self.describe = describe  # what must be equal in forward pass and recomputation
        self.explain = explain
        self.code = source.user_position()
        self.slots: list[weakref.ref[Slot]] = []
        self.descriptions: list[Any] = []
        self.completed = False
        self.runs = 0  # how often it was recomputed
        self.lock = threading.RLock()

    # -- forward --

    def hooks(self) -> saved_tensors_hooks:
        """What the function's forward pass runs under."""
        return saved_tensors_hooks(self._save, _unpack)

    def _save(self, t: Any) -> Slot:
        slot = Slot(self)
        self.slots.append(weakref.ref(slot))
        self.descriptions.append(None if self.describe is None else self.describe(t))
        return slot

    # -- backward --

    def take(self, slot: Slot) -> Any:
        """The value of a slot, recomputed if need be; it is handed out once."""
        with self.lock:
            if slot.kept is None:
                try:
                    self._fill()
                except CheckpointError as problem:
                    raise (self.explain or _same)(problem) from None
            kept: Any = slot.kept
            slot.kept = None
        tensor, version, then = kept
        if version is not None and version[0] != then:
            what = f"saved inside the function checkpointed at {self.where()}"
            raise modified(tensor, version, what)
        return tensor

    def _fill(self) -> None:
        """Run the function again and catch what it saves."""
        self.runs += 1
        catcher = _Catcher(self)
        hooks = saved_tensors_hooks(catcher.catch, _unchanged)
        with contextlib.suppress(StopRecomputation), hooks, enable_grad():
            self.recompute()
        catcher.check()
        if Frame.watchers:
            filled = [slot.kept[0] for slot in (r() for r in self.slots) if slot and slot.kept]
            for watcher in Frame.watchers:
                watcher(filled)

    def where(self) -> str:
        """The user's line that called checkpoint."""
        return source.describe(*self.code)


def _same(problem: CheckpointError) -> CheckpointError:
    return problem


def _unpack(slot: Slot) -> Any:
    return slot.frame.take(slot)


def _unchanged(t: Any) -> Any:
    return t


class _Catcher:
    """Receives the tensors of one recomputation, in order."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.count = 0
        self.beyond_forward = False  # the forward pass itself is not finished yet
        self.differences: list[str] = []

    def catch(self, t: Any) -> Any:
        frame, index = self.frame, self.count
        self.count += 1
        value = t
        if t._rg or t._level is not None:
            value = make(t._a) if t._level is None else t.detach()
        if index >= len(frame.slots):
            if not frame.completed:
                self.beyond_forward = True
                return value
            raise CheckpointError(
                "torch.utils.checkpoint: trying to save more tensors during recomputation than "
                f"during the original forward pass.\n{self._context()}"
            )
        self._compare(index, t)
        slot = frame.slots[index]()
        if slot is not None:
            slot.kept = (value, t._v, t._v[0] if t._v is not None else 0)
        if frame.early_stop and self.count == len(frame.slots):
            raise StopRecomputation
        return value

    def _compare(self, index: int, t: Any) -> None:
        frame = self.frame
        if frame.describe is None:
            return
        before, now = frame.descriptions[index], frame.describe(t)
        if before != now:
            self.differences.append(
                f"tensor at position {index}:\nsaved metadata: {before}\nrecomputed metadata: {now}"
            )

    def check(self) -> None:
        """Raise unless the recomputation saved what the forward pass did."""
        saved = len(self.frame.slots)
        if self.beyond_forward:
            return
        if self.count != saved:
            raise CheckpointError(
                "torch.utils.checkpoint: A different number of tensors was saved during the "
                "original forward and recomputation.\n"
                f"Number of tensors saved during forward: {saved}\n"
                f"Number of tensors saved during recomputation: {self.count}.\n{self._context()}"
            )
        if self.differences:
            raise CheckpointError(
                "torch.utils.checkpoint: Recomputed values for the following tensors have "
                "different metadata than during the forward pass.\n"
                + "\n".join(self.differences)
                + f"\n{self._context()}"
            )

    def _context(self) -> str:
        return (
            f"  checkpointed at {self.frame.where()}\n"
            "  The function must do the same both times: it depends on something that changed in "
            "between (a counter, a global, train/eval mode, the length of a list).\n"
            "  Fix: make it depend on its arguments only; pass debug=True to see the operations "
            "of both runs."
        )


def metadata(t: Any) -> dict[str, Any]:
    """What `determinism_check="default"` compares."""
    return {"shape": t.shape, "dtype": t.dtype, "device": t.device}


@contextlib.contextmanager
def restored_modes(state: dict[str, Any]) -> Iterator[None]:
    """The modes of the forward pass (random stream, autocast) for its repetition."""
    from ..amp.state import restored_autocast
    from ..tensor.random import fork_rng, set_rng_state

    with contextlib.ExitStack() as stack:
        if state["rng"] is not None:
            stack.enter_context(fork_rng())
            set_rng_state(state["rng"])
        stack.enter_context(restored_autocast(state["autocast"]))
        yield


def present_modes(preserve_rng_state: bool) -> dict[str, Any]:
    """What `restored_modes` brings back."""
    from ..amp.state import present_autocast
    from ..tensor.random import get_rng_state

    return {
        "rng": get_rng_state() if preserve_rng_state else None,
        "autocast": present_autocast(),
    }
