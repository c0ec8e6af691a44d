"""Somebody watches every op and every backward step: profilers, memory meters, counters.

A watcher is an object with any of the methods of `Watcher`. While one is entered the bit WATCH of
the thread's state word is set, so that ops take the general path; without one none of this runs.

A *stand-in* goes further: it says what an op returns, and nothing is computed. The tape is
recorded as ever, which is how shapes, memory and work are known without the cost of a run.
"""

from __future__ import annotations

import contextlib
from collections.abc import Generator
from typing import Any

from .engine import Walk
from .state import STATE, WATCH
from .value import TensorBase


class Watcher:
    """What can be seen; a subclass overrides what it wants."""

    sees_plans = False  # whether compiled functions may run as plans: as one named block each

    def op_begins(
        self, op: Any, args: tuple[Any, ...], params: dict[str, Any], written: str = ""
    ) -> None:
        """An op (of the table, or a class of `autograd.Function`) is about to run.

        `written` is the name of the method where it writes into its first argument ("add_").
        """

    def op_ends(self, op: Any, args: tuple[Any, ...], params: dict[str, Any], result: Any) -> None:
        """It has run; `result` is None if it raised."""

    def pass_begins(self) -> None:
        """A backward pass starts."""

    def pass_ends(self) -> None:
        """It has ended, or raised."""

    def node_begins(self, node: Any, g: Any, parents: tuple[Any, ...]) -> None:
        """The rules of a node are about to run; of `parents` those not None get a gradient."""

    def node_ends(self, node: Any, g: Any, parents: tuple[Any, ...]) -> None:
        """They have run, or raised."""

    def leaf_begins(self, leaf: Any) -> None:
        """A gradient is about to be added to a leaf's `.grad`."""

    def leaf_ends(self, leaf: Any) -> None:
        """It was."""

    def named_begins(self, name: str, args: Any = None) -> Any:
        """A named block starts: `record_function`, an optimizer's step, a compiled plan."""

    def named_ends(self, mark: Any) -> None:
        """It ends; `mark` is what `named_begins` returned."""


@contextlib.contextmanager
def watching(watcher: Watcher) -> Generator[None, None, None]:
    """Show everything this thread does inside the block to a watcher."""
    enter(watcher)
    try:
        yield
    finally:
        leave(watcher)


def enter(watcher: Watcher) -> None:
    """From now on this thread's work is shown to the watcher."""
    STATE.watchers.append(watcher)
    STATE.turn_on(WATCH)


def leave(watcher: Watcher) -> None:
    """No longer."""
    STATE.watchers.remove(watcher)
    if not STATE.watchers and STATE.stand_in is None:
        STATE.turn_off(WATCH)


@contextlib.contextmanager
def standing_in(results: Any) -> Generator[None, None, None]:
    """Inside the block `results(op, payloads, params)` says what ops return; None: compute it."""
    outer, STATE.stand_in = STATE.stand_in, results
    STATE.turn_on(WATCH)
    try:
        yield
    finally:
        STATE.stand_in = outer
        if not STATE.watchers and outer is None:
            STATE.turn_off(WATCH)


@contextlib.contextmanager
def _unwatched() -> Generator[None, None, None]:
    """What an op does to compute its result is part of it."""
    STATE.turn_off(WATCH)
    try:
        yield
    finally:
        STATE.turn_on(WATCH)


class _Shown:
    """Tells the watchers that something begins, and in the opposite order that it has ended."""

    __slots__ = ("_begun", "_ended", "_watchers", "_what")

    def __init__(self, what: str, *begun: Any, ended: tuple[Any, ...] | None = None) -> None:
        self._what, self._begun = what, begun
        self._ended = begun if ended is None else ended

    def __enter__(self) -> _Shown:
        self._watchers = tuple(STATE.watchers)
        for w in self._watchers:
            getattr(w, f"{self._what}_begins")(*self._begun)
        return self

    def __exit__(self, *exc: object) -> None:
        for w in reversed(self._watchers):
            getattr(w, f"{self._what}_ends")(*self._ended)

    def result(self, value: Any) -> None:
        """What it gave: the last that is told at the end, None unless said."""
        self._ended = (*self._ended[:-1], value)


def watched_op(op: Any, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
    """`dispatch.plain` with watchers or a stand-in."""
    from .dispatch import plain, prepare

    known = None
    if STATE.stand_in is not None:
        args = prepare(op, args)
        payloads = tuple(t._a if isinstance(t, TensorBase) else t for t in args)
        known = STATE.stand_in(op, payloads, params)
    with _Shown("op", op, args, params, ended=(op, args, params, None)) as shown:
        with _unwatched():
            made = plain(op, args, params, known)
        shown.result(made)
    return made


def watched_inplace(
    op: Any, x: Any, args: tuple[Any, ...], params: dict[str, Any], name: str
) -> Any:
    """`inplace.inplace` with watchers or a stand-in, which leaves the memory as it is."""
    from .inplace import inplace

    ended = (op, (x, *args), params, None)
    with _Shown("op", op, (x, *args), params, name, ended=ended) as shown:
        with _unwatched():
            made = inplace(op, x, args, params, name)
        shown.result(made)
    return made


def watched_function(cls: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A custom function with watchers: the ops of its forward are seen inside it."""
    from .function import apply_plain

    with _Shown("op", cls, args, kwargs, ended=(cls, args, kwargs, None)) as shown:
        made = apply_plain(cls, args, kwargs)
        shown.result(made[0])
    return made


class WatchedWalk(Walk):
    """A backward pass that is shown, node by node."""

    def run(self) -> None:
        with _Shown("pass"):
            super().run()

    def run_rules(self, node: Any, g: Any, parents: tuple[Any, ...]) -> Any:
        with _Shown("node", node, g, parents):
            return super().run_rules(node, g, parents)

    def finish_leaf(self, leaf: Any) -> None:
        with _Shown("leaf", leaf):
            super().finish_leaf(leaf)


class named:
    """Show a block to the watchers under a name."""

    __slots__ = ("_args", "_marks", "_name")

    def __init__(self, name: str, args: Any = None) -> None:
        self._name = name
        self._args = args
        self._marks: list[tuple[Any, Any]] = []

    def __enter__(self) -> None:
        self._marks = [(w, w.named_begins(self._name, self._args)) for w in STATE.watchers]

    def __exit__(self, *exc: object) -> None:
        for w, mark in reversed(self._marks):
            w.named_ends(mark)


def plans_run() -> bool:
    """Whether a compiled function should run its plan although somebody watches."""
    watchers = STATE.watchers
    return bool(watchers) and STATE.stand_in is None and all(w.sees_plans for w in watchers)


def run_plan(compiled: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run a compiled function as one block: what happens inside of a plan is not seen."""
    with named(name), _unwatched():
        return compiled(*args, **kwargs)
