"""Somebody watches every op and every backward step: profilers, memory meters, counters.

A watcher is an object with any of the methods of `Watcher`. While one is entered the bit WATCH of
the thread's state word is set, so that ops take the general path; without one none of this runs.

A *stand-in* goes further: it says what an op returns, and nothing is computed. The tape is
recorded as ever, which is how shapes, memory and work are known without the cost of a run.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
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
def watching(watcher: Watcher) -> Iterator[None]:
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
def standing_in(results: Any) -> Iterator[None]:
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
def _unwatched() -> Iterator[None]:
    """What an op does to compute its result is part of it."""
    STATE.turn_off(WATCH)
    try:
        yield
    finally:
        STATE.turn_on(WATCH)


def watched_op(op: Any, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
    """`dispatch.plain` with watchers or a stand-in."""
    from .dispatch import plain, prepare

    watchers, known = tuple(STATE.watchers), None
    if STATE.stand_in is not None:
        args = prepare(op, args)
        payloads = tuple(t._a if isinstance(t, TensorBase) else t for t in args)
        known = STATE.stand_in(op, payloads, params)
    for w in watchers:
        w.op_begins(op, args, params)
    result = None
    try:
        with _unwatched():
            result = plain(op, args, params, known)
    finally:
        for w in reversed(watchers):
            w.op_ends(op, args, params, result)
    return result


def watched_inplace(
    op: Any, x: Any, args: tuple[Any, ...], params: dict[str, Any], name: str
) -> Any:
    """`inplace.inplace` with watchers or a stand-in, which leaves the memory as it is."""
    from .inplace import inplace

    watchers = tuple(STATE.watchers)
    for w in watchers:
        w.op_begins(op, (x, *args), params, name)
    result = None
    try:
        with _unwatched():
            result = inplace(op, x, args, params, name)
    finally:
        for w in reversed(watchers):
            w.op_ends(op, (x, *args), params, result)
    return result


def watched_function(cls: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A custom function with watchers: the ops of its forward are seen inside it."""
    from .function import apply_plain

    watchers = tuple(STATE.watchers)
    for w in watchers:
        w.op_begins(cls, args, kwargs)
    result: Any = None
    try:
        result = apply_plain(cls, args, kwargs)
    finally:
        for w in reversed(watchers):
            w.op_ends(cls, args, kwargs, None if result is None else result[0])
    return result


class WatchedWalk(Walk):
    """A backward pass that is shown, node by node."""

    def run(self) -> None:
        watchers = tuple(STATE.watchers)
        for w in watchers:
            w.pass_begins()
        try:
            super().run()
        finally:
            for w in reversed(watchers):
                w.pass_ends()

    def run_rules(self, node: Any, g: Any, parents: tuple[Any, ...]) -> Any:
        watchers = tuple(STATE.watchers)
        for w in watchers:
            w.node_begins(node, g, parents)
        try:
            return super().run_rules(node, g, parents)
        finally:
            for w in reversed(watchers):
                w.node_ends(node, g, parents)

    def finish_leaf(self, leaf: Any) -> None:
        watchers = tuple(STATE.watchers)
        for w in watchers:
            w.leaf_begins(leaf)
        try:
            super().finish_leaf(leaf)
        finally:
            for w in reversed(watchers):
                w.leaf_ends(leaf)


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
