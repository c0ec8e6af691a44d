"""A compiled function: call 1 runs eagerly, calls 2 and 3 are traced, then machine code runs."""

from __future__ import annotations

import copy
import functools
import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import RLock
from types import MethodType
from typing import Any

from ..autograd.source import warn_user
from ..autograd.state import STATE, WATCH
from ..autograd.value import PLAIN
from ..autograd.watching import plans_run, run_plan
from ..ops import dtypes
from ..ops.kernels import fast
from ..ops.locks import keep_through_forks
from .capture.differentiable import runner_of
from .capture.entries import Entries, Entry
from .capture.facts import same_facts
from .capture.program import Program, Unlike
from .capture.ranges import Outline, RangeRunner, ranged
from .capture.runner import Runner
from .capture.traced_call import Call
from .capture.tracer import CaptureError
from .graph.exact_numbers import same_number
from .machine import log
from .passes.lengths import Unfit
from .runtime.plan import CheckFailed, InputChanged, UnwritableInput
from .stance import EAGER, compiled_functions, set_stance

# A function whose guards keep failing is not worth compiling again and again.
_RECOMPILE_LIMIT = 8
_TRACE_LIMIT = 10  # calls that are traced in vain: no two of them were alike
# Once a function has plans for so many kinds of calls (lengths of sequences, say), another kind is
# captured when it has come so often: a capture costs what hundreds of small steps do. (Counted, not
# timed, so that a run gives the same bits every time.)
_KINDS, _OFTEN = 4, 32
# One capture at a time: while numbers are followed, stand-ins lie where threads read them.
_CAPTURING = keep_through_forks(RLock(), -1)
_PATIENCE = 10.0  # seconds for another thread's capture, which may wait for this very thread


class CompiledFunction:
    """A function with the same behaviour and, after three calls, far less time."""

    def __init__(
        self,
        function: Callable[..., Any],
        fullgraph: bool = False,
        explain: bool = False,
        dynamic: bool = False,
    ) -> None:
        functools.update_wrapper(self, function, updated=())
        self.function = function
        self.fullgraph = fullgraph
        self._print = explain
        self._dynamic = dynamic  # plans for ranges of lengths, where that is possible
        self._outlines: list[Outline] = []  # of programs that ranges can be made of
        self._ranges: list[tuple[Outline, RangeRunner]] = []
        self._entries = Entries(function, self._name())
        self._told: set[str] = set()
        self._strangers: tuple[Any, ...] = ()  # functions that ran and that no name leads to
        self._inputs: set[str] = set()  # paths of numbers that were seen to change
        compiled_functions[self] = True
        self._last: Any = None  # types of the arguments of the last usual call, and its entry

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        last = self._last
        if EAGER[0]:
            return self.function(*args, **kwargs)
        leaves = last.leaves(args) if last is not None and not kwargs else None
        if leaves is not None:
            entry = last.entry  # pyright: ignore[reportOptionalMemberAccess]
        else:
            if STATE.unusual == WATCH and not STATE.levels and plans_run():
                return run_plan(self, f"CompiledFunction: {self._name()}", args, kwargs)
            if STATE.unusual or STATE.levels:
                return self.function(*args, **kwargs)  # part of an outer trace, anomaly mode...
            entry, leaves = self._entries.find(args, kwargs)
            self._last = _Types(args, leaves, entry) if _Types.usual(args, kwargs) else None
        runners = entry.runners
        for runner in runners:
            if runner.holds(leaves):
                if runner.writes and not runner.separate(leaves):
                    return self.function(*args, **kwargs)
                if runner is not runners[0]:
                    entry.put_first(runner)
                try:
                    return runner.run(leaves)
                except (CheckFailed, UnwritableInput):
                    return self.function(*args, **kwargs)  # which refuses it, at its line
                except InputChanged as changed:
                    runner.broken = str(changed)
                    entry.drop(runner)
                    break
        return self._slow(entry, args, kwargs)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        """As a method: the object is the first argument."""
        return self if instance is None else MethodType(self, instance)

    # As of any function, a copy is the function itself, and files keep its name; a method's copy
    # belongs to a copy of its object.

    def __copy__(self) -> CompiledFunction:
        return self

    def __deepcopy__(self, memo: Any) -> CompiledFunction:
        function = copy.deepcopy(self.function, memo)
        if function is self.function:
            return self
        return CompiledFunction(function, self.fullgraph, self._print, self._dynamic)

    def __reduce__(self) -> str:
        return self.__qualname__  # pyright: ignore[reportAttributeAccessIssue]

    def reset(self) -> None:
        """Forget every plan."""
        self._entries = Entries(self.function, self._name())
        self._inputs.clear()
        self._outlines.clear()
        self._ranges.clear()
        self._last = None

    # ---- capturing -------------------------------------------------------------------------------

    def _slow(self, entry: Entry, args: Any, kwargs: Any) -> Any:
        entry.calls += 1
        if entry.reason is not None:
            if self.fullgraph:
                raise CaptureError(entry.reason)
            self._tell(entry.reason)
            return self.function(*args, **kwargs)
        if entry.calls == 1:
            with fast.sparing():  # what the plan will do is not worth compiling for one call
                return self.function(*args, **kwargs)
        if self._stays(entry) or self._waits(entry):
            return self.function(*args, **kwargs)
        known = entry.runners
        if not _CAPTURING.acquire(timeout=_PATIENCE):
            return self.function(*args, **kwargs)
        try:
            if entry.runners is known and entry.reason is None:
                return self._traced(entry, args, kwargs)
        finally:
            _CAPTURING.release()
        return self.function(*args, **kwargs)  # another thread came to an end with it meanwhile

    def _traced(self, entry: Entry, args: Any, kwargs: Any) -> Any:
        """A call from which a plan is learnt."""
        self._note_broken(entry)
        if entry.reason is not None:
            return self.function(*args, **kwargs)
        call: Call | None
        try:
            call = Call(self.function, args, kwargs, self._strangers)
            call.refuse_unseen()
            self._follow(entry, call)
        except Exception as problem:
            self._give_up(entry, problem)
            call = None
        if call is None:  # nothing of ours is in the way of code that counts references
            return self.function(*args, **kwargs)
        with log.timed(f"trace {self._name()}"), _without_collections(), fast.sparing():
            call.run(self.function, args, kwargs, self.fullgraph)
        try:
            with fast.sparing():
                self._learn(entry, call)
        except Exception as problem:
            self._give_up(entry, problem)
        finally:
            if call.follower is not None:
                call.follower.close()
        return call.result

    def _follow(self, entry: Entry, call: Call) -> None:
        """The second of two calls follows numbers that change, or are likely to."""
        first = entry.pending
        if first is None:
            if self._ranges and not entry.captures and not entry.alone:  # one call may do
                call.follow({p for p in call.scan.values if self._is_input(p)}, entry.free)
            return
        numbers, reason = first.scan.difference(call.scan, set())
        if reason:
            entry.pending = None  # this one is the first of two
            self._count(entry, reason)
            return
        self._inputs.update(numbers)
        call.follow({p for p in call.scan.values if self._is_input(p)}, entry.free)

    def _count(self, entry: Entry, reason: str) -> None:
        """Another call was traced in vain; there is an end to it."""
        entry.traced += 1
        if entry.traced > _TRACE_LIMIT:
            raise CaptureError(f"no two calls were alike: {reason}")

    def _stays(self, entry: Entry) -> bool:
        """Whether nothing new is to be captured, by `torch.compiler.set_stance`."""
        if set_stance.now == "fail_on_recompile":
            raise RuntimeError(
                f"{self._name()} would be captured again while the stance is 'fail_on_recompile': "
                + (entry.runners[0].broken if entry.runners else "another kind of call")
            )
        return set_stance.now == "eager_on_recompile"

    def _waits(self, entry: Entry) -> bool:
        """Whether a kind of call is too rare to be captured, as there are plans for many."""
        if entry.calls >= _OFTEN or entry.captures or entry.pending is not None or self.fullgraph:
            return False
        others = list(self._entries.values())
        if self._dynamic and self._ranges and not entry.alone:
            return False  # it may join one
        kinds = sum(1 for other in others if other.captures or other.pending is not None)
        if self._dynamic and not self._ranges and kinds >= 2:
            pending = sum(1 for other in others if other.pending is not None)
            return pending > 0 or kinds >= _KINDS  # two kinds first: others may join them
        if kinds >= _KINDS and entry.calls == 2:
            log.say(
                f"{self._name()}: {kinds} kinds of calls have plans; another waits to come often"
            )
        return kinds >= _KINDS

    def _give_up(self, entry: Entry, problem: Exception) -> None:
        entry.reason = str(problem)
        entry.pending = None
        if self.fullgraph:
            raise problem
        if not isinstance(problem, CaptureError):
            # A bug of ours must not stop a program that runs eagerly.
            entry.reason = f"the compiler failed: {type(problem).__name__}: {problem}"
        self._tell(entry.reason)

    def _note_broken(self, entry: Entry) -> None:
        """A guard failed: a number that changed becomes an input; too many captures end."""
        if not entry.runners or entry.pending is not None:
            return
        broken = entry.runners[0]
        log.say(f"capture {self._name()} again: {broken.broken}")
        if broken.broken_path:
            self._inputs.add(broken.broken_path)
        if entry.captures >= _RECOMPILE_LIMIT:
            entry.reason = (
                f"{broken.broken} and other guards failed {entry.captures} times; it stays eager"
            )
            entry.runners = []
            self._tell(entry.reason)

    def _learn(self, entry: Entry, call: Call) -> None:
        if call.trace.reason is not None:
            raise CaptureError(call.trace.reason)
        if call.strangers:  # what they read is looked at from now on
            self._strangers += tuple(call.strangers)
            entry.pending = None
            self._count(entry, f"{_called(call.strangers[0])} runs, made anew in every call")
            return
        call.check_side_effects(self.function)
        first = entry.pending
        if call.follower is None:
            entry.pending = call
            return
        if first is None:
            self._join(entry, call)
            return
        entry.pending = None
        reason = self._why_unlike(first, call)
        if not reason:
            try:
                with log.timed(f"compile {self._name()}"), _without_collections():
                    runner = self._runner(Program(first, call))
            except Unlike as problem:  # something was set up in the first of them
                reason = str(problem)
        if reason:
            self._count(entry, reason)
            return
        entry.traced = 0
        for traced in (first, call):
            traced.trace.close()
        entry.captures += 1
        entry.put_first(runner)
        log.say(runner.explain)
        if self._print:
            print(runner.explain())

    def _runner(self, program: Program) -> Runner:
        """The runner of a program: for many lengths if that is wanted and possible."""
        if not self._dynamic:
            return runner_of(program)
        try:
            outline = Outline(program)
            made = ranged(self._outlines, program, outline)
        except Unfit as problem:
            log.say(f"{self._name()}: a plan for one length: {problem}")
            return self._alone(program)
        self._ranges.append((outline, made))
        return made

    def _alone(self, program: Program) -> Runner:
        """The runner for one length; the next may make a range with it."""
        if len(self._outlines) < _KINDS:
            with suppress(Unfit):
                self._outlines.append(Outline(program))
        return runner_of(program)

    def _join(self, entry: Entry, call: Call) -> None:
        """A kind of call whose first traced call did what a plan for many lengths does."""
        try:
            with log.timed(f"another length of {self._name()}"), _without_collections():
                program = Program(call, call)
                outline = Outline(program)
                for known, runner in self._ranges:
                    if known.same(outline) and runner.holds(call.leaves):
                        runner.plan.admit(program.graph)  # pyright: ignore[reportAttributeAccessIssue]
                        entry.captures += 1
                        entry.put_first(runner)
                        return
            reason = "nothing that is known did the same"
        except (CaptureError, Unfit) as problem:
            reason = str(problem)
        finally:
            call.trace.close()
        log.say(f"{self._name()}: another plan: {reason}")
        entry.alone = True

    def _why_unlike(self, first: Call, second: Call) -> str:
        """Why two calls cannot be compared; nothing where they can."""
        if first.signature() != second.signature():
            return "modes, tensors or their gradients differ"
        if not same_facts(first.facts, second.facts):
            return "facts about tensors that it asks for differ"
        changed, reason = first.scan.difference(second.scan, second.followed)
        if changed:
            path = changed[0]
            then, now = first.scan.values[path], second.scan.values[path]
            return (
                f"{second.scan.describe(path)} changes ({then!r}, {now!r}) and cannot be followed"
            )
        for i, (a, b) in enumerate(zip(first.leaves, second.leaves, strict=True)):
            if type(b) in (int, float) and i not in second.free and not same_number(a, b):
                return f"argument {i} changes ({a!r}, {b!r}) and cannot be followed"
        for condition in second.follower.conditions.values():  # pyright: ignore[reportOptionalMemberAccess]
            if not condition.holds(first.number_at):
                return "a number that changes decides what the function does"
        return reason

    def _is_input(self, path: str) -> bool:
        """Whether a float at this path is read in every call: learning rates change, mostly."""
        rate = path.endswith("['lr']") and "['defaults']" not in path
        return rate or path in self._inputs

    # ---- telling ---------------------------------------------------------------------------------

    def _name(self) -> str:
        return getattr(self.function, "__qualname__", type(self.function).__name__)

    def _tell(self, reason: str) -> None:
        """Say once why a function is not compiled."""
        if reason not in self._told:
            self._told.add(reason)
            log.say(f"{self._name()} runs eagerly: {reason}")
            text = f"chainrule.compile: {self._name()} runs eagerly: {reason}"
            try:
                warn_user(text)
            except Warning:
                # A filter makes errors of warnings (python -W error). The function may have run
                # already: a remark about speed must not take its result away.
                print(text, file=sys.stderr)

    def explain(self) -> str:
        """What was made of the function: graph, fused loops, buffers; or why it runs eagerly."""
        parts = []
        for entry in self._entries.values():
            if entry.runners:
                parts += [runner.explain() for runner in entry.runners]
            elif entry.reason is not None:
                parts.append(f"eager: {entry.reason}")
            else:
                wanted = _OFTEN + 1 if self._waits(entry) else 3
                parts.append(f"not compiled yet: called {entry.calls} time(s) of {wanted}")
        return "\n\n".join(parts) or "never called"


def _called(ran: Any) -> str:
    """A function, or the code of a library, in words."""
    return f"{ran.__qualname__ if hasattr(ran, '__qualname__') else ran.code.co_qualname}()"


@contextmanager
def _without_collections() -> Iterator[None]:
    """Compiling makes many objects and no garbage: looking for it takes a third of the time.

    So do the traces, which keep all that they meet.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


class _Types:
    """The types of plain tensor arguments: the usual call is recognised without building a key.

    Arguments are tensors, or tuples and lists of tensors.
    """

    __slots__ = ("autocast", "count", "default", "entry", "groups", "kinds", "mode")

    def __init__(self, args: tuple[Any, ...], leaves: list[Any], entry: Entry) -> None:
        self.entry = entry
        self.mode, self.autocast = STATE.w, STATE.autocast
        self.default = dtypes.get_default_dtype()
        self.count = len(leaves)
        # Class and length of each argument; None where every argument is a tensor.
        plain = all(x.__class__ in PLAIN for x in args)
        self.groups = None if plain else [_group(x) for x in args]
        self.kinds = [(x.__class__, x._a.shape, x._a.strides, x._a.dtype, x._rg) for x in leaves]

    @staticmethod
    def usual(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Whether calls with such arguments can be recognised in this way."""
        arrays = []
        for x in args:
            for leaf in x if x.__class__ in (tuple, list) else (x,):
                if leaf.__class__ not in PLAIN:
                    return False
                arrays.append(id(leaf._a))
        return not kwargs and len(set(arrays)) == len(arrays)

    def leaves(self, args: tuple[Any, ...]) -> list[Any] | None:
        """The tensors of a call of these types; None for any other call."""
        state = STATE.__dict__
        if state["w"] != self.mode or state["levels"] or state["autocast"] is not self.autocast:
            return None
        if dtypes.get_default_dtype() is not self.default:
            return None
        leaves = list(args) if self.groups is None else self._ungrouped(args)
        if leaves is None or len(leaves) != self.count:
            return None
        arrays = set()
        for x, (kind, shape, strides, dtype, requires_grad) in zip(leaves, self.kinds):  # noqa: B905
            if x.__class__ is not kind:
                return None
            array = x._a
            if array.shape != shape or array.strides != strides:
                return None
            if array.dtype is not dtype or x._rg is not requires_grad:
                return None
            if requires_grad and x._rare is not None:
                return None  # it may have hooks
            arrays.add(id(array))
        return leaves if len(arrays) == self.count else None

    def _ungrouped(self, args: tuple[Any, ...]) -> list[Any] | None:
        if len(args) != len(self.groups):  # pyright: ignore[reportArgumentType]
            return None
        leaves: list[Any] = []
        for x, (kind, length) in zip(args, self.groups):  # pyright: ignore[reportArgumentType]  # noqa: B905 - counted
            if length < 0:
                leaves.append(x)
            elif x.__class__ is not kind or len(x) != length:
                return None
            else:
                leaves += x
        return leaves


def _group(x: Any) -> tuple[type, int]:
    return (x.__class__, len(x)) if x.__class__ in (tuple, list) else (x.__class__, -1)
