"""`chainrule.compile`: call 1 runs eagerly, calls 2 and 3 are traced, then machine code runs."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

from ..autograd.state import STATE
from ..autograd.value import PLAIN
from .capture import Call, Program, flatten
from .runner import Runner
from .tracer import CaptureError, tracing

# A function whose guards keep failing is not worth compiling again and again.
_RECOMPILE_LIMIT = 8


class Entry:
    """What is known about calls with one combination of argument types."""

    __slots__ = ("first", "reason", "runner", "stage", "times")

    def __init__(self) -> None:
        self.stage = 0  # 0: never called, 1: called, 2: traced once
        self.first: Call | None = None
        self.runner: Runner | None = None
        self.reason: str | None = None
        self.times = 0


class CompiledFunction:
    """A function with the same behaviour and, after three calls, far less time."""

    def __init__(self, function: Callable[..., Any], fullgraph: bool = False) -> None:
        functools.update_wrapper(self, function, updated=())
        self.function = function
        self.fullgraph = fullgraph
        self._entries: dict[Any, Entry] = {}
        self._told: set[str] = set()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if STATE.unusual:
            return self.function(*args, **kwargs)  # part of an outer trace, autocast, anomaly...
        leaves: list[Any] = []
        flatten((args, kwargs), leaves)
        entry = self._entry(leaves, kwargs)
        runner = entry.runner
        if runner is not None:
            if runner.holds():
                return runner.run(leaves)
            self._drop(entry)
        return self._slow(entry, args, kwargs)

    def _entry(self, leaves: list[Any], kwargs: dict[str, Any]) -> Entry:
        parts: list[Any] = [STATE.w, tuple(kwargs)]
        for x in leaves:
            if x.__class__ in PLAIN:
                array = x._a
                parts.append((array.shape, array.dtype, x._rg))
            elif isinstance(x, bool | int | float | str | type(None)):
                parts.append((type(x), x))
            else:
                parts.append(id(x))
        key = tuple(parts)
        found = self._entries.get(key)
        if found is None:
            found = self._entries[key] = Entry()
        return found

    def _drop(self, entry: Entry) -> None:
        """A guard failed: what was assumed no longer holds, so capture again."""
        assert entry.runner is not None
        entry.times += 1
        if entry.times > _RECOMPILE_LIMIT:
            entry.reason = (
                f"{entry.runner.broken} and other guards failed {entry.times} times; it stays eager"
            )
            self._tell(entry.reason)
        entry.runner, entry.stage, entry.first = None, 1, None

    def _slow(self, entry: Entry, args: Any, kwargs: Any) -> Any:
        if entry.reason is not None:
            return self.function(*args, **kwargs)
        entry.stage += 1
        if entry.stage == 1:
            return self.function(*args, **kwargs)
        call = Call(self.function, args, kwargs)
        with tracing(strict=self.fullgraph) as trace:
            call.result = self.function(*args, **kwargs)
        call.trace = trace
        try:
            self._learn(entry, call)
        except Exception as problem:
            entry.reason = str(problem)
            entry.first = None
            if self.fullgraph:
                raise
            if not isinstance(problem, CaptureError):
                # A bug of ours must not stop a program that runs eagerly.
                entry.reason = f"the compiler failed: {type(problem).__name__}: {problem}"
            self._tell(entry.reason)
        return call.result

    def _learn(self, entry: Entry, call: Call) -> None:
        if call.trace.reason is not None:
            raise CaptureError(call.trace.reason)
        call.check_side_effects(self.function)
        if entry.first is None:
            entry.first = call
            return
        entry.runner = Runner(Program(entry.first, call))
        entry.first = None

    def _tell(self, reason: str) -> None:
        """Say once why a function is not compiled."""
        if reason not in self._told:
            self._told.add(reason)
            name = getattr(self.function, "__qualname__", type(self.function).__name__)
            warnings.warn(f"chainrule.compile: {name} runs eagerly: {reason}", stacklevel=5)

    def explain(self) -> str:
        """What was made of the function: graph, fused loops, buffers; or why it runs eagerly."""
        parts = []
        for entry in self._entries.values():
            if entry.runner is not None:
                parts.append(entry.runner.plan.explain())
            elif entry.reason is not None:
                parts.append(f"eager: {entry.reason}")
            else:
                parts.append(f"not compiled yet: called {entry.stage} time(s) of 3")
        return "\n\n".join(parts) or "never called"


def compile(  # noqa: A001 - the public name is PyTorch's
    model: Callable[..., Any] | None = None, *, fullgraph: bool = False, **ignored: Any
) -> Any:
    """A function that does what `model` does, as machine code where that is possible.

    The first call runs eagerly, the next two are traced (and run), later ones run the compiled
    plan.  What cannot be captured runs eagerly and the reason is said once; with `fullgraph=True`
    it is an error that names the line.  PyTorch's other options are accepted and have no effect.
    A module becomes a module that shares its parameters.
    """
    if model is None:
        return functools.partial(compile, fullgraph=fullgraph, **ignored)
    compiled = CompiledFunction(model, fullgraph)
    from ..nn import Module

    if isinstance(model, Module):
        from .module import OptimizedModule

        return OptimizedModule(model, compiled)
    return compiled


__all__ = ["CaptureError", "CompiledFunction", "compile"]
