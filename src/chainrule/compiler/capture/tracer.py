"""Tracing: run a function for real and write down, as a graph, what it did to tensors.

While a trace is active every op of the table goes through `Trace.process`: it runs as usual and an
instruction is appended.  Backward passes run their rules on tensors, so they are traced like other
code.  Memory is tracked by storage: each array belongs to a storage whose present value is one SSA
value; writing through any view makes a new value, and views are derived again when their storage
has moved on.

What existed before the call becomes an input; what was made outside the table during the call
(`zeros`, `arange`) is a constant.  Which is which is decided by comparing two traces.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import contextmanager
from typing import Any
from weakref import ref

import numpy as np

from ...autograd import source
from ...autograd.dispatch import P, plain, prepare
from ...autograd.inplace import (
    chain_to,
    check_apart,
    check_fits,
    check_writable,
    copying,
    set_history,
    write,
)
from ...autograd.lazy import memory
from ...autograd.record import live_node
from ...autograd.state import STATE, TRACE
from ...autograd.value import PARENT, ROOT, VIEW_OP, VIEW_PARAMS, WHICH, TensorBase, make
from ...ops.result_types import result_types
from ...ops.schema import TABLE, Op
from ..graph.op_table import Place, fused_gradients, register
from ..graph.program import Graph, Instr, Value
from ..graph.types import emit
from .followed import Number, Operand, plain_structure, plain_value


class CaptureError(Exception):
    """The function cannot be captured; the message says why and where."""


class Storage:
    """A piece of memory and its present value."""

    __slots__ = ("array", "first", "origin", "strides", "value", "version")

    def __init__(
        self, array: np.ndarray | None, value: Value, origin: Any, strides: Any = None
    ) -> None:
        self.array = array  # of what came from outside
        self.strides = strides  # of what was computed
        self.value = value
        self.first = value
        self.version = 0
        self.origin = origin  # None when computed; else the tensor it was first seen through


class Known:
    """An array met in the trace: its storage, the views that lead to it, its value."""

    __slots__ = ("array", "chain", "storage", "value", "version")

    def __init__(self, array: Any, storage: Storage, chain: Any, value: Value) -> None:
        self.array = array  # a weak reference: a trace needs no more memory than the call itself
        self.storage = storage
        self.chain = chain
        self.value = value
        self.version = storage.version


class Outside:
    """A tensor that the trace met but did not make."""

    __slots__ = ("before", "storage", "tensor", "value")

    def __init__(self, tensor: Any, storage: Storage, before: np.ndarray | None) -> None:
        self.tensor = tensor
        self.storage = storage
        self.value = storage.first
        self.before = before  # the array's contents when first met; None for certain inputs


class Trace:
    """The record of one call."""

    def __init__(self, strict: bool = False) -> None:
        self.graph = Graph()
        self.strict = strict  # raise at the first thing that cannot be captured
        self.reason: str | None = None  # why the capture failed; the function still runs
        self.known: dict[int, Known] = {}
        self.declared: dict[int, Known] = {}  # id of an argument's view record -> the argument
        self.outside: list[Outside] = []
        self.visible: set[int] = set()  # ids of arrays that the function could see at the start
        self.leaves: dict[int, Any] = {}  # tensors whose .grad a backward pass added to
        self.watch: Any = None  # the profile function of whoever watches the call
        self.unwatched: Any = None  # the one that was there before
        self.lasting: set[int] = set()  # tensors that are inputs for certain: no constants
        # What the call began and has not ended, with the reason why no plan can begin it alone.
        self.owed: dict[Any, str] = {}
        # First result of an instruction: (which operands had a history, whether results have one)
        self.histories: dict[Value, tuple[tuple[bool, ...], bool]] = {}
        self.wrote_silently = False  # into memory with a history, which does not know of it
        self.started: set[Any] = set()  # reductions that were begun in the call
        self.met_before: dict[Any, set[Storage]] = {}  # by transform: what there was before it

    def close(self) -> None:
        """Let go of the arrays that were met, which refer to what remembers them."""
        self.known.clear()
        self.declared.clear()
        self.met_before.clear()

    def enter(self, level: Any) -> None:
        """A transform begins."""
        self.met_before[level] = {known.storage for known in self.known.values()}

    def writes_to_outside(self) -> int:
        """How many writes into memory from outside there have been."""
        return sum(outside.storage.version for outside in self.outside)

    def had(self, array: Any, level: Any) -> bool:
        """Whether memory is known to be older than a transform."""
        known = self.known.get(id(array))
        met = known is not None and known.storage in self.met_before.get(level, ())
        return met or id(array) in self.visible

    def references(self, tensor: Any) -> int:
        """How often the trace itself keeps a tensor alive."""
        kept = [(o.tensor, o.storage.origin) for o in self.outside]
        return sum((a is tensor) + (b is tensor) for a, b in kept)

    def marked(self) -> tuple[int, int, dict[int, Any]]:
        """Where the trace stands, to go back to."""
        return len(self.graph.instrs), len(self.outside), self.known | self.declared

    def back_to(self, mark: tuple[int, int, dict[int, Any]]) -> None:
        """Forget what was recorded since then, and what arrays were met."""
        instructions, outside, met = mark
        del self.graph.instrs[instructions:], self.outside[outside:]
        for table in (self.known, self.declared):
            for place in [k for k, known in table.items() if met.get(k) is not known]:
                del table[place]

    def fail(self, reason: str) -> None:
        """Give the capture up. The call goes on as it would without a trace."""
        if self.strict:
            raise CaptureError(reason)
        self.reason = self.reason or reason

    def declare(self, tensor: Any) -> None:
        """An input by itself, whatever it is a view of: an argument of the function."""
        array = tensor._a
        if array.__class__ is not np.ndarray or id(array) in self.known:
            return
        storage = Storage(array, Value(array.shape, array.dtype), tensor)
        self.outside.append(Outside(tensor, storage, None))
        known = self._know(array, storage, (), storage.first)
        if tensor._view is not None:
            self.declared[id(tensor._view)] = known

    # ---- what the autograd layer calls -----------------------------------------------------------

    def process(self, op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
        """Run an op and append it; what goes on inside is no code of the user's."""
        if self.watch is None:
            return self._process(op, args, params)
        sys.setprofile(self.unwatched)
        try:
            return self._process(op, args, params)
        finally:
            sys.setprofile(self.watch)

    def _process(self, op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
        if self.reason is not None:
            return plain(op, plain_structure(args, plain_value), plain_structure(params))
        params = plain_structure(params)
        tensors = prepare(op, args)
        if len(tensors) == 2 and _meets_a_wider_number(tensors, args):
            self.fail(f"a half without dimensions meets a wider tensor of none at {source.here()}")
            return plain(op, plain_structure(args, plain_value), params)
        if op.random and tensors and not _draws_in_order(tensors[0]):
            self.fail(f"{op.name} fills a tensor that is not contiguous, at {source.here()}")
        if op.shaped_by_values:
            self.fail(
                f"{op.name} needs the value of a tensor for the shape of its result, at "
                f"{source.here()}"
            )
        operands = [self.operand(t) for t in tensors]
        if not op.view and any(isinstance(t, TensorBase) and t._lazy for t in tensors):
            tensors = tuple(map(self._carried_out, tensors, operands))
        result = self._followed(op, tensors, params)
        results = result if op.n_out != 1 else (result,)
        if any(id(r._a) in self.known for r in results):
            return result  # the op returned its argument
        values = [Value(r._a.shape, r._a.dtype) for r in results]
        where = source.user_position()
        self.graph.instrs.append(Instr(op.name, operands, params, values, where))
        followed = tuple(not isinstance(t, TensorBase) or t._rg for t in tensors)
        self.histories[values[0]] = (followed, any(r._rg for r in results))
        for r, v in zip(results, values, strict=True):
            self._add_result(r, v)
        return result

    def _carried_out(self, t: Any, value: Any) -> Any:
        """A conjugate to be computed, as the same tensor with an array that stays: what an op
        keeps of it for its derivative is recognised by that."""
        if not (isinstance(t, TensorBase) and t._lazy):
            return t
        node = t._node if t._view is None else live_node(t)
        if t._rg and node is None:
            return t  # a leaf, which is asked for by itself
        made = make(t._a)
        made._rg, made._node, made._v = t._rg, node, t._v
        self._know(made._a, Storage(None, value, None, made._a.strides), (), value)
        return made

    def _followed(self, op: Op, tensors: tuple[Any, ...], params: dict[str, Any]) -> Any:
        """Run an op; what its derivative keeps of a followed number is followed too."""
        if not any(isinstance(t, Number) for t in tensors):
            return plain(op, tensors, params)
        values = tuple(map(plain_value, tensors))
        computed = plain(op, tuple(_detached(v) for v in values), params)
        known = computed._a if op.n_out == 1 else tuple(c._a for c in computed)
        return plain(op, tensors, params, known=known)

    def plain(self, value: Any) -> Any:
        """Numbers as plain ones, for code that looks at them."""
        return plain_structure(value)

    def value_of_number(self, value: Any) -> Any:
        """The same without a condition, for those who record the number as an operand."""
        return plain_structure(value, plain_value)

    def follows(self, value: Any) -> bool:
        """Whether a number is followed: an op may take it as it is."""
        return isinstance(value, Number)

    def gradients(self, op: Op, g: Any, mask: tuple[bool, ...], values: dict[str, Any]) -> Any:
        """The gradients of an op by its rule on arrays, as one instruction."""
        special = {"g": g, "mask": mask}
        values = {name: plain_structure(value) for name, value in values.items()}
        tensors: list[Any] = []
        fused = fused_gradients(op)
        given = tuple(_template(special.get(n, values.get(n)), tensors) for n in fused.names)
        whole = fused.every(*(t._a for t in tensors), given=given)
        results = [None if a is None else make(a) for a in whole]
        if self.reason is None:
            made = [(r, Value(r._a.shape, r._a.dtype)) for r in results if r is not None]
            operands = [self.operand(t) for t in tensors]
            where = source.user_position()
            outputs = [v for _, v in made]
            self.graph.instrs.append(Instr(fused.name, operands, {"given": given}, outputs, where))
            for r, v in made:
                self._add_result(r, v)
        return results

    def rewrites(
        self, op: Any, read: list[Any], params: dict[str, Any], written: list[Any], action: Any
    ) -> None:
        """One instruction for what `action` does in memory: from `read` to `written` tensors."""
        register(op)
        params = plain_structure(params)
        operands = [self.operand(t) for t in read]
        targets = [self._find(t) for t in written]
        for target in targets:
            self._note_silent_write(target.storage)
        action()
        values = [Value(t._a.shape, t._a.dtype) for t in written]
        where = source.user_position()
        self.graph.instrs.append(Instr(op.name, operands, params, values, where))
        for target, value in zip(targets, values, strict=True):
            self._write(target, value)

    def _note_silent_write(self, storage: Storage) -> None:
        """A write under no_grad, or through `x.detach()`: the history of the memory stays."""
        origin = storage.origin
        tracked = self.histories.get(storage.value, ((), False))[1]
        if tracked or (origin is not None and origin._rg):
            self.wrote_silently = True

    def assign(self, x: Any, value: Any, name: str) -> Any:
        """x[...] = value: in memory, in history, and as a new value of x's storage."""
        recording = STATE.grad_enabled and (value._rg or x._rg) and x.dtype.category >= 2
        check_writable(x, name, recording)
        check_fits(x, value._a, name)
        check_apart(x, (value,), name)
        target = self._find(x)
        if not recording:
            self._note_silent_write(target.storage)
        if value._a.dtype != x._a.dtype:
            value = P.cast(value, dtype=x._a.dtype)
        new = self.operand(value)
        write(x, value._a, name)
        if recording:
            set_history(x, copying(x, value, name))
        self._write(target, new)
        return x

    def accumulate(self, leaf: Any, g: Any) -> None:
        """Add a gradient into a leaf's .grad, as the engine does outside of traces."""
        self.leaves[id(leaf)] = leaf
        have = leaf._grad
        if have is None:
            copied = make(np.array(g._a))
            value = self.operand(g)
            self._know(copied._a, Storage(None, value, None), (), value)
            leaf._grad = copied
            return
        total = P.add(have.detach(), g)
        target = self._find(have)
        new = self.operand(total)
        np.copyto(have._a, total._a, casting="unsafe")
        if have._v is not None:
            have._v[0] += 1
        self._write(target, new)

    def seed(self, generator: Any, seed: int) -> None:
        """Somebody restarts a random stream: compiled calls do so too."""
        params = {"generator": generator, "seed": seed}
        where = source.user_position()
        self.graph.instrs.append(Instr("seed_generator", (), params, [], where))

    def expect(self, tensor: Any, low: float, high: float, spared: int | None) -> None:
        """Somebody made sure that numbers lie within low..high: compiled calls do so too."""
        if self.reason is None:
            index = self.operand(tensor)
            if index.dtype.kind not in "biu":
                inside = [emit(self.graph, "ge", index, low), emit(self.graph, "le", index, high)]
                both = emit(self.graph, "bitwise_and", *inside)  # false of NaN
                index, low, high = emit(self.graph, "cast", both, dtype=np.dtype(np.int64)), 1, 1
            params = {"low": low, "high": high, "spared": spared}
            checked = Value(index.shape, index.dtype)
            where = source.user_position()
            self.graph.instrs.append(Instr("expected", (index,), params, [checked], where))

    def concrete(self, tensor: Any, what: str) -> None:
        """Somebody asks for the numbers of a tensor: a graph cannot depend on them."""
        if id(tensor._a) in self.known or id(tensor._a) in self.visible:
            self.fail(
                f"{what} needs the value of a tensor that the function computes or was given, at "
                f"{source.here()}; return the tensor and ask outside"
            )

    # ---- values ----------------------------------------------------------------------------------

    def operand(self, t: Any) -> Any:
        """The present value of a tensor; numbers stand for themselves."""
        if isinstance(t, Number):
            return Operand(t) if t.fits() else t.plain()
        if not isinstance(t, TensorBase):
            return t
        if getattr(t, "_level", None) is not None:
            self.fail(f"a transform (vmap, jvp) is active at {source.here()}")
            return 0
        return self._current(self._find(t))

    def _find(self, t: Any) -> Known:
        found = self.known.get(id(t._a))
        if found is not None:
            if t._rg and t._view is None:
                self._prefer(t, found.storage)
            return found
        if t._view is not None:
            return self._derived_from_root(t)
        value = Value(t._a.shape, t._a.dtype)
        storage = Storage(t._a, value, t)
        before = None if id(t) in self.lasting else t._a.copy()
        self.outside.append(Outside(t, storage, before))
        return self._know(t._a, storage, (), value)

    def _prefer(self, t: Any, storage: Storage) -> None:
        """The tensor that takes gradients stands for memory first met through `t.detach()`."""
        if storage.origin is not None and not storage.origin._rg and storage.array is t._a:
            storage.origin = t
            for outside in self.outside:
                if outside.storage is storage:
                    outside.tensor = t

    def _derived_from_root(self, t: Any) -> Known:
        storage, chain, value = self._rooted(t)
        known = self._know(t._a, storage, chain, value)
        known.version = -1  # not computed yet
        return known

    def _rooted(self, t: Any) -> tuple[Storage, tuple[Any, ...], Value]:
        """The storage a view leads to, the view ops on the way, the storage's value."""
        view = t._view
        record, steps = view, []
        while record is not None:
            argument = self.declared.get(id(record))
            if argument is not None:
                return argument.storage, tuple(reversed(steps)), argument.value
            steps.append(_step(record))
            record = record[PARENT]
        root = self._find(view[ROOT])
        if t._a.size and not np.may_share_memory(memory(t), memory(view[ROOT])):
            self.fail("a view is in its sight whose base was given other memory")
            value = Value(t._a.shape, t._a.dtype)
            return Storage(t._a, value, t), (), value
        meta = view[ROOT]._rare
        if meta and "reshaped" in meta:  # the record may be of the shape it had
            try:
                return root.storage, (*root.chain, *chain_to(t)), root.value
            except RuntimeError:  # eager code needs no such chain
                where = source.here()
                self.fail(f"a view of another type of a reshaped tensor is taken at {where}")
        return root.storage, (*root.chain, *reversed(steps)), root.value

    def _know(self, array: np.ndarray, storage: Storage, chain: Any, value: Value) -> Known:
        place, known = id(array), self.known

        def forget(dead: Any) -> None:
            # The next array at this place is another one.
            found = known.get(place)
            if found is not None and found.array is dead:
                del known[place]

        made = known[place] = Known(ref(array, forget), storage, chain, value)
        return made

    def _add_result(self, t: Any, value: Value) -> None:
        if t._view is None:
            self._know(t._a, Storage(None, value, None, t._a.strides), (), value)
            return
        storage, chain, _ = self._rooted(t)
        self._know(t._a, storage, chain, value)

    def _current(self, known: Known) -> Value:
        """The value of an array now: derived again when its storage was written elsewhere."""
        storage = known.storage
        if known.version == storage.version:
            return known.value
        value = storage.value
        for name, params in known.chain:
            value = self._append(name, (value,), dict(params))
        known.value, known.version = value, storage.version
        return value

    def _append(self, name: str, operands: tuple[Any, ...], params: dict[str, Any]) -> Value:
        """An instruction that nobody ran; where no rule tells its type it is run on zeros."""
        probes = tuple([np.zeros(v.shape, v.dtype) for v in operands])
        ((shape, dtype),) = result_types(TABLE[name], probes, params)
        value = Value(shape, dtype)
        self.graph.instrs.append(Instr(name, operands, params, [value]))
        return value

    def _write(self, target: Known, new: Any) -> None:
        storage = target.storage
        if target.chain:
            root = storage.value
            params = {"chain": target.chain}
            updated = Value(root.shape, root.dtype)
            self.graph.instrs.append(Instr("write_view", (root, new), params, [updated]))
            storage.value = updated
        else:
            storage.value = new
        storage.version += 1
        target.value, target.version = new, storage.version

    def value_of(self, t: Any) -> Value | None:
        """The value a tensor ended up with, or None if the trace never met it."""
        known = self.known.get(id(t._a))
        return None if known is None else self._current(known)


def _step(record: Any) -> tuple[str, tuple[Any, ...]]:
    """The op and the parameters that lead from a view's parent to it."""
    name, params = record[VIEW_OP].name, record[VIEW_PARAMS]
    if record[VIEW_OP].n_out != 1:  # one of several: as the op that makes it alone
        axis, which = params["axis"], record[WHICH]
        if name == "unbind":
            name, params = "select", {"axis": axis, "index": which}
        else:
            start = sum(params["sizes"][:which])
            stop = start + params["sizes"][which]
            name = "slice_axis"
            params = {"axis": axis, "start": start, "stop": stop, "step": 1}
    return name, tuple(sorted(params.items()))


def _detached(t: Any) -> Any:
    return make(t._a) if isinstance(t, TensorBase) else t


def _meets_a_wider_number(tensors: tuple[Any, ...], args: tuple[Any, ...]) -> bool:
    """Whether `prepare` kept the second operand's precision, which would decide the type again."""
    half, other = tensors
    if not (isinstance(half, TensorBase) and isinstance(other, TensorBase)):
        return False
    given = args[1]._a.dtype if isinstance(args[1], TensorBase) else other._a.dtype
    widened = other._a.dtype == np.float32 and given != other._a.dtype
    return widened and not half._a.ndim and half._a.dtype.itemsize == 2


def _draws_in_order(x: Any) -> bool:
    """Whether the memory of what a draw fills is walked as a plan would: compiled copies are."""
    return not isinstance(x, TensorBase) or x._a.flags.c_contiguous


def _template(value: Any, tensors: list[Any]) -> Any:
    """A rule's argument with its tensors replaced by their numbers in the list."""
    if isinstance(value, TensorBase):
        tensors.append(value)
        return Place(len(tensors) - 1)
    if isinstance(value, tuple | list):
        return tuple(_template(v, tensors) for v in value)
    return value


@contextmanager
def tracing(arguments: Sequence[Any] = (), strict: bool = False) -> Any:
    """Record everything that happens to tensors in this thread."""
    trace = Trace(strict)
    for x in arguments:
        if isinstance(x, TensorBase):
            trace.declare(x)
    STATE.trace = trace
    STATE.turn_on(TRACE)
    try:
        yield trace
    finally:
        STATE.turn_off(TRACE)
        STATE.trace = None
