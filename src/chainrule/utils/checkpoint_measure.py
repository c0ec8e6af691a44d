"""How many bytes of activations a model keeps, block by block, and how much work each block is."""

from __future__ import annotations

import contextlib
import math
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ..autograd.modes import enable_grad, no_grad
from ..autograd.saved_hooks import saved_tensors_hooks
from ..autograd.state import OBSERVE, STATE
from ..autograd.value import TensorBase
from ..tensor.random import fork_rng
from .checkpoint_frame import Frame
from .checkpoint_schedule import BlockCost


def memory_root(array: np.ndarray) -> np.ndarray:
    """The array that owns the memory a view looks at."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


class Ledger:
    """Memory seen, each piece once, and how much of it is still alive."""

    def __init__(self, ignored: Sequence[Any] = ()) -> None:
        self.seen: dict[int, tuple[Any, int]] = {}
        self.peak = 0
        for t in ignored:
            self.add(t)
        self.ignored = set(self.seen)

    def add(self, t: Any) -> int:
        """Count a tensor's memory; returns its bytes when it is new."""
        if not isinstance(t._a, np.ndarray):
            return 0
        root = memory_root(t._a)
        known = self.seen.get(id(root))
        if known is not None and known[0]() is root:
            return 0
        self.seen[id(root)] = (weakref.ref(root), root.nbytes)
        return root.nbytes

    def live(self) -> int:
        """Bytes of counted memory that still exist."""
        alive = [
            n
            for key, (ref, n) in self.seen.items()
            if key not in self.ignored and ref() is not None
        ]
        self.peak = max(self.peak, sum(alive))
        return sum(alive)


class ActivationMeter:
    """What the tape holds for backward: after the forward pass, and at the worst moment.

    >>> import chainrule as torch
    >>> x = torch.ones(256, 256, requires_grad=True)
    >>> with ActivationMeter() as meter:
    ...     y = x.exp().exp().sum()
    >>> meter.held  # two results of 256 KiB, which the rule of exp needs
    524288
    """

    def __init__(self, ignored: Sequence[Any] = ()) -> None:
        self.ledger = Ledger(ignored)
        self.hooks = saved_tensors_hooks(self._saved, lambda t: t)
        self.held = 0  # bytes at the end of the block
        self.recomputations = 0

    @property
    def peak(self) -> int:
        """The most bytes held at any time, recomputed ones included."""
        self.ledger.live()
        return self.ledger.peak

    def _saved(self, t: Any) -> Any:
        self.ledger.add(t)
        return t.detach()

    def __enter__(self) -> ActivationMeter:
        Frame.watchers.append(self._recomputed)
        self.hooks.__enter__()
        return self

    def __exit__(self, *exc: object) -> None:
        self.hooks.__exit__(*exc)
        self.held = self.ledger.live()

    def close(self) -> None:
        """Stop watching recomputations."""
        Frame.watchers.remove(self._recomputed)

    def _recomputed(self, tensors: list[Any]) -> None:
        self.recomputations += 1
        for t in tensors:
            self.ledger.add(t)
        self.ledger.live()


class BlockMeasurement:
    """One forward pass of a model, watched block by block; nothing is kept for backward."""

    def __init__(self, model: Any, blocks: Sequence[Any]) -> None:
        self.model = model
        self.blocks = list(blocks)
        self.inside = [0] * len(self.blocks)
        self.inputs = [0] * len(self.blocks)
        self.outputs = [0] * len(self.blocks)
        self.work = [0.0] * len(self.blocks)
        self.outside = 0
        self.order: list[int] = []  # places of the blocks as they were called
        self.new: set[int] = set()  # memory first saved by the present block
        self.place: int | None = None
        self.ledger: Any = None

    def run(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[BlockCost]:
        """Costs of the blocks that ran, in the order in which they did (`order`)."""
        fixed = [*self.model.parameters(), *self.model.buffers()]
        given = [a for a in (*args, *kwargs.values()) if isinstance(a, TensorBase)]
        self.ledger = Ledger([*fixed, *given])
        hooks = saved_tensors_hooks(self._saved, _lost)
        with self._watched(), restored_buffers(self.model), fork_rng(), enable_grad(), hooks:
            observing(self._observe, lambda: self.model(*args, **kwargs))
        return [
            BlockCost(self.inside[k], self.inputs[k], self.work[k], self.outputs[k])
            for k in self.order
        ]

    @contextlib.contextmanager
    def _watched(self) -> Iterator[None]:
        for place, block in enumerate(self.blocks):
            block.forward = self._forward(place, block.forward)
        try:
            yield
        finally:
            for block in self.blocks:
                del block.forward

    def _forward(self, place: int, forward: Callable[..., Any]) -> Callable[..., Any]:
        def watched(*args: Any, **kwargs: Any) -> Any:
            outer, self.place = self.place, place
            if args and isinstance(args[0], TensorBase):
                self.inputs[place] = self._boundary(args[0])
            if place not in self.order:
                self.order.append(place)
            self.new = set()
            result = forward(*args, **kwargs)
            if isinstance(result, TensorBase):
                # What a block returns is the next one's input and counted there; saved in the
                # block itself as well, it is there twice when the block is computed again.
                root = memory_root(result._a)
                counted, in_block = self.ledger.seen.get(id(root), (None, 0))
                if counted is not None and counted() is root and id(root) in self.new:
                    self.inside[place] -= in_block
                    self.outputs[place] = in_block
            self.place = outer
            return result

        return watched

    def _boundary(self, t: Any) -> int:
        root = memory_root(t._a)
        self.ledger.add(t)
        return 0 if id(root) in self.ledger.ignored else root.nbytes

    def _saved(self, t: Any) -> Any:
        new = self.ledger.add(t)
        if self.place is None:
            self.outside += new
        else:
            self.inside[self.place] += new
            if new:
                self.new.add(id(memory_root(t._a)))

    def _observe(self, op: Any, tensors: Any, outs: Any, params: Any) -> None:
        if self.place is not None:
            self.work[self.place] += work_of(op, tensors, outs)


def _lost(packed: Any) -> Any:
    raise RuntimeError(
        "checkpoint_budget measures a forward pass only: the model called backward() inside it.\n"
        "  Fix: plan with a model whose forward computes no gradients itself."
    )


@contextlib.contextmanager
def restored_buffers(model: Any) -> Iterator[None]:
    """Running statistics and other buffers are afterwards what they were."""
    kept = [(b, b.detach().clone()) for b in model.buffers()]
    try:
        yield
    finally:
        with no_grad():
            for buffer, before in kept:
                buffer.copy_(before)


def observing(observer: Callable[..., None], run: Callable[[], Any]) -> Any:
    """Run something while every operation is shown to an observer."""
    STATE.observers.append(observer)
    STATE.turn_on(OBSERVE)
    try:
        return run()
    finally:
        STATE.observers.remove(observer)
        if not STATE.observers:
            STATE.turn_off(OBSERVE)


# Multiplications per element of the result, of the ops whose work is not what they read and write.
_CONTRACTED: dict[str, Callable[..., float]] = {
    "mm": lambda a, b: a.shape[-1],
    "bmm": lambda a, b: a.shape[-1],
    "matmul": lambda a, b: a.shape[-1],
    "mv": lambda a, b: a.shape[-1],
    "addmm": lambda c, a, b: a.shape[-1],
    "baddbmm": lambda c, a, b: a.shape[-1],
    "linear2d": lambda x, w, b: x.shape[-1],
    "linear2d_no_bias": lambda x, w: x.shape[-1],
    "convolution": lambda x, w, b: math.prod(w.shape[1:]),
    "convolution_no_bias": lambda x, w: math.prod(w.shape[1:]),
    "attention": lambda q, k, v, *rest: 2 * k.shape[-2],
}


def work_of(op: Any, tensors: Any, outs: Any) -> float:
    """An estimate of an op's work: elements read and written, plus multiplications."""
    sizes = [t.numel() for t in (*tensors, *outs) if isinstance(t, TensorBase)]
    work = float(sum(sizes))
    per_element = _CONTRACTED.get(getattr(op, "name", ""))
    if per_element is not None:
        work += outs[0].numel() * per_element(*tensors)
    return work
