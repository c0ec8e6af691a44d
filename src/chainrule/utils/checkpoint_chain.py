"""Running a chain of modules by a schedule, whoever calls them.

Each block's `forward` is replaced by one that knows its place. A `Sequential`, or a model that
calls its blocks in a loop, then runs as before, but under the frames that the schedule asks for: a
segment of several blocks is one `Frame` that stays open from its first block to its last. Blocks
count as a chain while each gets what the one before it returned; where the model does something in
between, a new frame starts, so results never depend on the schedule.
"""

from __future__ import annotations

import contextlib
import threading
import weakref
from collections.abc import Sequence
from typing import Any

from ..autograd.modes import is_grad_enabled
from ..autograd.value import TensorBase
from .checkpoint_frame import Frame, SavedInputs, metadata, present_modes, restored_modes
from .checkpoint_schedule import Segment


class Chain:
    """Blocks and the schedule they run by."""

    def __init__(self, blocks: Sequence[Any], items: tuple[Any, ...]) -> None:
        self.blocks = list(blocks)
        self.forwards = [block.forward for block in self.blocks]
        self.paths = _paths(items, len(self.blocks))
        self.walks: dict[int, Walk] = {}  # by thread

    def install(self) -> None:
        """Let the blocks run by the schedule."""
        for place, block in enumerate(self.blocks):
            block.forward = ScheduledForward(self, place)

    def remove(self) -> None:
        """Give the blocks their own forward back."""
        for block in self.blocks:
            if isinstance(block.__dict__.get("forward"), ScheduledForward):
                del block.forward

    def walk(self) -> Walk:
        """This thread's walk along the chain."""
        thread = threading.get_ident()
        found = self.walks.get(thread)
        if found is None:
            found = self.walks[thread] = Walk(self)
        return found

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "walks": {}}  # a copy of the model starts its own


class ScheduledForward:
    """The forward of one block of a chain."""

    def __init__(self, chain: Chain, place: int) -> None:
        self.chain = chain
        self.place = place

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not is_grad_enabled():
            return self.chain.forwards[self.place](*args, **kwargs)
        return self.chain.walk().call(self.place, args, kwargs)


def _paths(items: tuple[Any, ...], count: int) -> list[tuple[Segment, ...]]:
    """For every block the segments around it, outermost first."""
    paths: list[tuple[Segment, ...]] = [()] * count

    def descend(items: tuple[Any, ...], path: tuple[Segment, ...]) -> None:
        for item in items:
            if isinstance(item, Segment):
                for k in range(item.start, item.end):
                    paths[k] = (*path, item)
                descend(item.items, (*path, item))

    descend(items, ())
    return paths


class _Calls:
    """What the blocks of an open segment were called with, to call them again."""

    def __init__(self) -> None:
        self.places: list[int] = []
        self.inputs: list[SavedInputs] = []  # all arguments of the first, then the others' rest
        self.kwargs: list[dict[str, Any]] = []
        self.modes: list[dict[str, Any]] = []

    def add(self, place: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.inputs.append(SavedInputs(args if not self.places else args[1:]))
        self.places.append(place)
        self.kwargs.append(kwargs)
        self.modes.append(present_modes(True))


class _Open:
    """A segment between its first block and its last."""

    def __init__(self, segment: Segment, chain: Chain, depth: int) -> None:
        self.segment = segment
        calls = self.calls = _Calls()

        def recompute() -> None:
            run_again(chain, calls, depth + 1)

        self.frame = Frame(recompute, describe=metadata)


def run_again(chain: Chain, calls: _Calls, depth: int) -> None:
    """The recorded calls once more, under the segments deeper than the one recomputed."""
    walk = Walk(chain, depth)
    value: Any = None
    for k, place in enumerate(calls.places):
        given = calls.inputs[k].get("a segment of checkpoint_budget")
        args = given if k == 0 else (value, *given)
        with restored_modes(calls.modes[k]):
            value = walk.call(place, args, calls.kwargs[k])


class Walk:
    """Where a forward pass is in the chain: the segments open now."""

    def __init__(self, chain: Chain, depth: int = 0) -> None:
        self.chain = chain
        self.depth = depth  # segments around the walk itself
        self.open: list[_Open] = []
        self.following = -1
        self.output: Any = None  # weak reference to what the last block returned

    def call(self, place: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run a block under the frames of its segments."""
        self._enter(place, args, kwargs)
        with self.open[-1].frame.hooks() if self.open else contextlib.nullcontext():
            result = self.chain.forwards[place](*args, **kwargs)
        self._leave(place, result)
        return result

    def _enter(self, place: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        path = self.chain.paths[place][self.depth :]
        same = 0
        if place == self.following and args and self.output is not None:
            if args[0] is self.output():
                pairs = zip(self.open, path, strict=False)
                same = sum(1 for is_open, segment in pairs if is_open.segment is segment)
        del self.open[same:]
        for k, segment in enumerate(path):
            if k >= same:
                self.open.append(_Open(segment, self.chain, self.depth + k))
            # An inner segment's arguments are saved as everything inside the outer one is.
            with self.open[k - 1].frame.hooks() if k else contextlib.nullcontext():
                self.open[k].calls.add(place, args, kwargs)

    def _leave(self, place: int, result: Any) -> None:
        self.following = place + 1
        self.output = weakref.ref(result) if isinstance(result, TensorBase) else None
        while self.open and self.open[-1].segment.end == place + 1:
            self.open.pop().frame.completed = True
