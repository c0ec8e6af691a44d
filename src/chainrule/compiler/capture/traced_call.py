"""One traced call of a function: what it was given, what it could see, what it did.

When the results require grad, the gradients that a later backward pass would compute are traced
as well, from stand-ins for the gradients of the results to the tensors that came from outside.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from weakref import ref

import numpy as np

from ...autograd.backward import grad
from ...autograd.errors import USED_UP
from ...autograd.function import FunctionCtx
from ...autograd.node import OutSlot
from ...autograd.record import edge
from ...autograd.state import STATE
from ...autograd.value import CREATION, FROM_MULTI, ROOT, TensorBase, make
from ...ops.dtypes import get_default_dtype
from ..graph.exact_numbers import same_number
from .arguments import flatten, with_stand_ins
from .facts import facts_of, hooks_of, named_attribute
from .followed import Expression, Follower, plain_structure, plain_value
from .sight import interchangeable, same_order
from .substitute import followable, standing_in
from .tracer import CaptureError, Trace, tracing
from .unseen import stream_state
from .walk import walk
from .witness import Witness


def _held(array: Any) -> Callable[[], Any]:
    """A reference that keeps no memory; a single number, which has none to speak of, is kept."""
    return ref(array) if isinstance(array, np.ndarray) else lambda: array


class Call:
    """See the module's docstring.

    A call that follows numbers has a `follower`; `followed` are the paths it follows, and `free`
    the positions of arguments.
    """

    def __init__(
        self, function: Callable[..., Any], args: Any, kwargs: Any, also: tuple[Any, ...] = ()
    ) -> None:
        self.also = also  # functions that it runs though nothing in sight leads to them
        self.follower: Follower | None = None
        self.followed: set[str] = set()
        self.free: tuple[int, ...] = ()
        self.leaves: list[Any] = []
        self.given = (args, kwargs)
        flatten(self.given, self.leaves)
        self.scan = walk(function, self._objects(), also)
        # Gradients at entry, which the call may drop: what holds them would hold as much memory as
        # all parameters.
        had = [(t, t._grad) for t in self.tensors() if t._grad is not None]
        self.grads_before = {id(t): ref(g) for t, g in had}
        self._grad_owners = {id(g._a): (_held(g._a), t) for t, g in had}
        self.memory = [(t, t._a) for t in self.tensors()]
        self.histories = [(t, _history(t)) for t in self.tensors()]
        self.versions = {id(t._v): t._v[0] for t in self.tensors() if t._v is not None}
        self._versions_of_grads = [g._v for _, g in had if g._v is not None]  # keep their ids
        self.versions |= {id(v): v[0] for v in self._versions_of_grads}
        del had
        self.additions = [(t, _additions(t)) for t in self.tensors()]
        self.facts = facts_of(self.scan, self.leaves)
        self.inference = STATE.inference
        self.effects: dict[str, Any] = {}  # switches that the call sets, by path
        self.strangers: list[Any] = []  # functions that ran and had not been looked at
        self.trace: Trace
        self.result: Any = None
        self.returned: Any = None
        self.shared: dict[Any, Any] = {}
        # What a later backward pass needs: results, stand-ins for their gradients, tensors to
        # differentiate with respect to, and their gradients.
        self.opened: list[Any] = []
        self.rules: list[Any] = []  # backward of the autograd.Functions that gradients go through
        self.spent: dict[int, str] = {}  # ids of results that nobody can differentiate: why
        self.seeds: list[Any] = []
        self.wanted: list[Any] = []
        self.gradients: list[Any] = []
        self.keeps_nothing = False  # gradients of the results need no value: as often as wanted
        self.forward_length = 0  # instructions before those of the backward pass

    def _objects(self) -> list[Any]:
        """Arguments that are looked into: models, optimizers, settings."""
        plain = (TensorBase, bool, int, float, str, type(None))
        return [x for x in self.leaves if not isinstance(x, plain)]

    def tensors(self) -> list[Any]:
        """Every tensor that the call was given or could see."""
        seen = [t for _, t in self.scan.tensors.values()]
        return seen + [t for t in self.leaves if isinstance(t, TensorBase)]

    def owner_of_gradient(self, array: Any) -> Any:
        """The tensor whose gradient at entry lay in this array; None if there is none."""
        held, owner = self._grad_owners.get(id(array), (None, None))
        return owner if held is not None and held() is array else None

    def _is_one_memory_by_two_names(self) -> bool:
        """Whether two tensors have one array and a history (`x`, `x.detach()`)."""
        owners: dict[int, Any] = {}
        pairs = [(t, owners.setdefault(id(array), t)) for t, array in self.memory]
        return any(a is not b and (a._rg or b._rg) for a, b in pairs)

    def signature(self) -> Any:
        """What must be equal in two calls that are compared: settings, tensors, their gradients."""
        flags = [
            (path, value)
            for path, value in self.scan.values.items()
            if isinstance(value, bool | str | None)
        ]
        tensors = [
            (id(t), t._rg, id(t) in self.grads_before) for _, t in self.scan.tensors.values()
        ]
        known = {id(t._a): id(t) for _, t in self.scan.tensors.values()}
        given = [known.get(id(x._a)) for x in self.leaves if isinstance(x, TensorBase)]
        return tuple(flags), tuple(tensors), tuple(given)

    def follow(self, paths: set[str], free: tuple[int, ...]) -> None:
        """Follow the numbers at these places, and these arguments, where that is possible."""
        self.follower = Follower()
        if not self.scan.sees_through():
            self.followed = {p for p in paths if followable(self.scan, p)}
            self.free = tuple(i for i in free if _is_plain(self.leaves[i]))

    def number_at(self, leaf: Expression) -> Any:
        """The number that an expression reads, in this call."""
        where = leaf.parts[0]
        return self.scan.values[where] if leaf.form == "path" else self.leaves[where]

    def refuse_unseen(self) -> None:
        """Raise where something is in sight whose state cannot be guarded."""
        attribute = named_attribute(self.scan, self.leaves)
        if self.scan.unseen is not None or attribute is not None:
            what = self.scan.unseen or f"the attribute {attribute!r} of a tensor it is given"
            raise CaptureError(f"{what} is in its sight, whose state no guard can check")

    def run(self, function: Callable[..., Any], args: Any, kwargs: Any, strict: bool) -> None:
        """Call the function under a trace; the results keep their own history."""
        streams, modes = _python_streams(self.scan.streams), _modes()
        with tracing(self.leaves, strict) as self.trace:
            self.trace.lasting = {id(t) for _, t in self.scan.tensors.values()}
            self.trace.visible = {id(array) for _, array in self.memory}
            witness = Witness(self.scan.known_codes)
            self._run(function, args, kwargs, witness)
            self.strangers = witness.strangers(self.also)
            if self._is_one_memory_by_two_names():
                self.trace.fail("a tensor it is given is another one that it sees, detached")
            if any(isinstance(x, TensorBase) and hooks_of(x) for x in self.leaves):
                self.trace.fail("a tensor it is given has hooks, which every call may bring others")
            for reason in self.trace.owed.values():
                self.trace.fail(reason)
            if witness.problem is not None:
                self.trace.fail(f"{witness.problem} is called, whose state no guard can check")
            if _modes() != modes:
                self.trace.fail("it leaves another mode behind (set_grad_enabled, a default dtype)")
            if _python_streams(self.scan.streams) != streams:
                self.trace.fail("Python's or NumPy's own random numbers are drawn; draw tensors")
            if self.trace.reason is None:
                opened = self._open_results()
                if opened:
                    self._differentiate(opened)

    def _run(self, function: Callable[..., Any], args: Any, kwargs: Any, witness: Witness) -> None:
        if self.follower is None:
            self.result = function(*args, **kwargs)  # the call after it is watched, and compiled
            return
        follower = self.follower
        numbers = {i: follower.number(self.leaves[i], Expression("argument", i)) for i in self.free}
        try:
            with (
                with_stand_ins((args, kwargs), numbers) as (given, named),
                standing_in(self.scan, self.followed, follower),
                witness.watching(self.trace),
            ):
                result = function(*given, **named)
        finally:
            del numbers
            if sys.exc_info()[0] is not None:
                follower.close()
        self.returned = result  # with the numbers that are followed
        self.result = plain_structure(result, plain_value)

    # ---- gradients of the results ----------------------------------------------------------------

    def _differentiate(self, opened: list[Any]) -> None:
        trace = self.trace
        self.forward_length = len(trace.graph.instrs)
        wanted = [o.tensor for o in trace.outside if o.tensor._rg]
        between = _nodes_between(opened, wanted)
        self.keeps_nothing = not any(node.s for node in between)
        self.rules = [n._function.backward for n in between if isinstance(n, FunctionCtx)]
        if any(n.hooks and (n.hooks.pre or n.hooks.post or n.hooks.tensor) for n in between) or any(
            t._rare and t._rare.get("hooks") for t in opened
        ):
            # It would run with gradients that nobody computed.
            trace.fail("a hook waits for gradients inside of the function; compile the whole step")
            return
        if any(n.hooks is not None and n.hooks.retain for n in between):
            trace.fail("a tensor inside of the function retains its gradient")
            return
        seeds, found = self._gradients(opened, wanted)
        if found is None and len(opened) > 1:
            opened = [t for t in opened if self._is_live(t, wanted)]
            seeds, found = self._gradients(opened, wanted) if opened else ([], None)
        if found is None:
            return
        self.opened, self.seeds, self.wanted = opened, seeds, wanted
        self.gradients = [None if g is None else trace.operand(g) for g in found]

    def _is_live(self, t: Any, wanted: list[Any]) -> bool:
        """Whether a result can be differentiated outside, by itself."""
        before = self.trace.marked()
        _, found = self._gradients([t], wanted)
        self.trace.back_to(before)
        return found is not None

    def _gradients(self, opened: list[Any], wanted: list[Any]) -> tuple[list[Any], Any]:
        """Stand-ins for the gradients of results, and what they become. Where that raises (a
        backward pass inside used the graph up, or an optimizer wrote what it needs) the error is
        kept: who differentiates the results gets it, as in eager code."""
        trace = self.trace
        before = trace.marked()
        seeds = [make(np.zeros(t._a.shape, t._a.dtype)) for t in opened]
        for seed in seeds:
            trace.declare(seed)
        try:
            with apart(wanted):
                found = grad(opened, wanted, seeds, retain_graph=True, allow_unused=True)
        except Exception as problem:
            if not trace.leaves and not str(problem).startswith(USED_UP):
                # Who asks for them outside gets the error; nobody may.
                trace.fail(f"gradients of its results: {problem}")
            trace.back_to(before)
            self.spent |= {id(t): str(problem) for t in opened}
            return seeds, None
        for t in opened:
            self.spent.pop(id(t), None)
        return seeds, found

    def _open_results(self) -> list[Any]:
        """The tensors among the results that somebody may differentiate."""
        parts: list[Any] = []
        flatten(self.result, parts)
        own = {id(t) for t in self.tensors()}
        tensors = {id(t): t for t in parts if isinstance(t, TensorBase) and id(t) not in own}
        self.shared = self._shared(list(tensors.values()))
        opened = {}
        for t in tensors.values():
            known = self.trace.known.get(id(t._a))
            if known is not None and known.storage in self.shared and t._rg:
                t = self._base(t, known)  # of which views are taken again
            opened[id(t)] = t
        return [t for t in opened.values() if t._rg and self._has_node(t)]

    def _has_node(self, t: Any) -> bool:
        """Whether a result was computed, and is no leaf. Some views cannot say any more, because
        they were made and written in modes that eager code, too, asks about when they are used."""
        try:
            found = edge(t)
        except RuntimeError:
            self.trace.fail("a result is a view whose memory was written in another mode")
            return False
        return found is not None and not isinstance(found, TensorBase)

    def _shared(self, results: list[Any]) -> dict[Any, Any]:
        """Memory that the call made and several results show, or one that is a view which may not
        be written -> a tensor that is all of it."""
        pairs = [(self.trace.known.get(id(t._a)), t) for t in results]
        found = [(known.storage, t) for known, t in pairs if known is not None]
        storages = [storage for storage, _ in found]
        parts = {s for s, t in found if s.origin is None and _is_part_of_several(t)}
        return {s: None for s in storages if s in parts or storages.count(s) > 1}

    def _base(self, t: Any, known: Any) -> Any:
        """The tensor whose history a result that shares memory with others is part of."""
        base = t if t._view is None else t._view[ROOT]
        if not base._rg or (t._view is None and known.chain):
            self.trace.fail("a result shares memory with others that have another history")
            return t
        have = self.shared[known.storage]
        if have is not None and edge(have) is not edge(base):
            self.trace.fail("results share memory and have different histories")
        self.shared[known.storage] = base
        return base

    # ---- what a compiled call would not do -------------------------------------------------------

    def check_side_effects(self, function: Callable[..., Any]) -> None:
        """Python state that the call changed would stay unchanged in compiled calls."""
        self._check_arguments()
        if any(t._lazy for t, _ in self.memory):
            raise CaptureError(
                "the call reads a conjugate or negative that is still to be computed; pass "
                "x.resolve_conj() or x.resolve_neg()"
            )
        if any(t._a is not array for t, array in self.memory):
            raise CaptureError(
                "the call gives a tensor other memory (x.data = ...), which a compiled call would "
                "not; write into it (x.copy_(...), x.data.sub_(...))"
            )
        self._check_histories()
        self._check_additions()
        before, after = self.scan, walk(function, self._objects(), self.also)
        self.effects = {}
        for path, value in before.values.items():
            now = after.values.get(path, "nothing")
            if same_number(now, value):
                continue
            place = before.places.get(path)
            if (
                isinstance(value, bool | str | None)
                and isinstance(now, bool | str | None)
                and place is not None
                and isinstance(place.container, dict | list)
                and place.kind is None  # a class must be told
            ):
                self.effects[path] = now  # a switch, such as the mode of a module
                continue
            raise CaptureError(
                f"the call changes a Python value ({before.describe(path)}: {value!r} -> "
                f"{now!r}), which a compiled call would not; keep it in a tensor or change it "
                "outside"
            )
        for path, size in before.sizes.items():
            if after.sizes.get(path, size) != size:
                raise CaptureError(
                    f"the call changes the length of a container ({before.describe(path)}: {size} "
                    f"-> {after.sizes[path]}), which a compiled call would not"
                )
        for path, keys in before.orders.items():
            if not same_order(after.orders.get(path, ()), keys):
                raise CaptureError(
                    f"the call changes the keys of {before.describe(path)}, or their order, which "
                    "a compiled call would not"
                )
        for path, (_, contents) in before.arrays.items():
            if path not in after.arrays or after.arrays[path][1] != contents:
                raise CaptureError(
                    f"the call changes the contents of {before.describe(path)}, which a compiled "
                    "call would not"
                )
        if before.kinds != after.kinds or before.codes != after.codes:
            raise CaptureError("the call gives an object another class, or a function other code")
        for path, thing in before.objects.items():
            now = after.objects.get(path, thing)
            if now is not thing and not interchangeable(thing, now):
                raise CaptureError(
                    f"the call puts another object in the place of {before.describe(path)}, which "
                    "a compiled call would not"
                )
        for path, tensor in before.tensor_paths.items():
            if after.tensor_paths.get(path) is not tensor:
                raise CaptureError(
                    f"the call puts another tensor in the place of {before.describe(path)}, which "
                    "a compiled call would not; write into it (copy_), or return it"
                )

    def _check_arguments(self) -> None:
        now: list[Any] = []
        flatten(self.given, now)
        if len(now) != len(self.leaves) or any(
            a is not b for a, b in zip(now, self.leaves, strict=True)
        ):
            raise CaptureError(
                "the call changes a container or an object that it was given, which a compiled "
                "call would not; return what is new"
            )

    def _check_additions(self) -> None:
        """Hooks and attributes of tensors are as they were."""
        if any(_additions(t) != then for t, then in self.additions):
            raise CaptureError(
                "the call gives a tensor a hook or an attribute, which a compiled call would not; "
                "do so outside"
            )

    def _check_histories(self) -> None:
        """Tensors that existed before the call stand in the graph as they did."""
        for t, then in self.histories:
            now = _history(t)
            if now[0] is not then[0]:
                raise CaptureError(
                    "the call changes requires_grad of a tensor that it was given or sees, which a "
                    "compiled call would not; do so outside, or use a detached copy"
                )
            if any(a is not b for a, b in zip(now, then, strict=True)):
                raise CaptureError(
                    "the call writes into a tensor that existed before, and gradients go through "
                    "what it writes, which those of a compiled call would not; return a new tensor"
                )


def _additions(t: Any) -> tuple[Any, ...]:
    """The hooks of a tensor, and what attributes it was given."""
    return hooks_of(t), [*vars(t)]


def _is_part_of_several(t: Any) -> bool:
    """Whether a tensor is one of the results of an op such as `split`, which are not written."""
    return t._rg and t._view is not None and t._view[CREATION] == FROM_MULTI


def _is_plain(x: Any) -> bool:
    """Whether a stand-in can take a number's place: a NaN is found by identity in containers."""
    return type(x) in (int, float) and x == x


def _history(t: Any) -> tuple[Any, ...]:
    """How a tensor stands in the graph: by itself, or by what it is a view of."""
    root = t if t._view is None else t._view[ROOT]
    return t._rg, root._rg, root._node


def _nodes_between(results: list[Any], ends: list[Any]) -> list[Any]:
    """The nodes that a backward pass from the results to these tensors runs."""
    last = {id(_node(t)) for t in ends}
    waiting, found = [_node(t) for t in results], {}
    while waiting:
        node = waiting.pop()
        if node is None or isinstance(node, TensorBase) or id(node) in found or id(node) in last:
            continue
        found[id(node)] = node
        waiting += [p.node if p.__class__ is OutSlot else p for p in node.parents]
    return [*found.values()]


def _node(t: Any) -> Any:
    found = edge(t)
    return found.node if found.__class__ is OutSlot else found


def _modes() -> tuple[Any, ...]:
    """The modes of this thread that a call may set for good."""
    state = STATE
    return (
        state.wants_grad, state.inference, state.autocast, state.anomaly, state.anomaly_check_nan,
        state.multithreading, get_default_dtype(),
    )  # fmt: skip


def _python_streams(others: list[Any]) -> dict[Any, Any]:
    """The states of random numbers that are not ours."""
    states: dict[Any, Any] = {k: stream_state(x) for k, x in enumerate(others)}
    if "random" in sys.modules:
        states["random"] = sys.modules["random"].getstate()
    if "numpy.random" in sys.modules:
        _, words, *rest = np.random.get_state()
        states["numpy"] = (words.tobytes(), *rest)  # pyright: ignore[reportAttributeAccessIssue]
    return states


@contextmanager
def apart(tensors: list[Any]) -> Iterator[None]:
    """Inside, a backward pass ends at these tensors and runs none of their hooks."""
    nodes = []
    for t in tensors:
        e = edge(t)
        node = e.node if e.__class__ is OutSlot else e
        if not isinstance(node, TensorBase) and node not in nodes:
            nodes.append(node)
    kept = [(node, node.parents, node.hooks) for node in nodes]
    metas = [(t, t._rare) for t in tensors if t._rare and "hooks" in t._rare]
    try:
        for node in nodes:
            node.parents, node.hooks = (None,) * len(node.parents), None
        for t, meta in metas:
            t._rare = {k: v for k, v in meta.items() if k != "hooks"}
        yield
    finally:
        for node, parents, hooks in kept:
            node.parents, node.hooks = parents, hooks
        for t, meta in metas:
            t._rare = meta
