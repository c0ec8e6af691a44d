"""From two traces of a function to one program: what is an input, a constant, an effect.

The same call is traced twice, first with plain numbers, then with numbers that are followed
(`followed.py`).  Both must do the same ops on the same shapes with the same numbers, the followed
ones as their expressions say; an array that differs and is no input makes the capture fail with the
reason.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...autograd import source
from ...autograd.value import CREATION, FACTORY, ROOT, TensorBase
from ..graph.exact_numbers import same_number
from ..graph.program import Graph, Instr, Value
from ..graph.verify import verify, verifying
from .arguments import containers_in
from .followed import Number, Operand
from .layouts import layout_of
from .replay import kept_for
from .traced_call import Call
from .tracer import CaptureError, Outside


class Unlike(CaptureError):
    """Two calls did different things; later ones may not."""


class Source:
    """Where an input's array (or number) comes from at each call."""

    __slots__ = ("kind", "what")

    def __init__(self, kind: str, what: Any) -> None:
        self.kind = kind  # "argument", "argument number", "tensor", "grad", "number", "seed"...
        self.what = what


class Program:
    """A graph with the meaning of its inputs and outputs in terms of the user's objects."""

    def __init__(self, first: Call, second: Call) -> None:
        self.first, self.second = first, second
        self.graph = Graph()
        self.sources: list[Source] = []
        self.numbers: dict[Any, Value] = {}  # key of an expression -> weak input
        self.cleared: list[Any] = []  # tensors whose .grad the call sets to None
        self.without_grad: list[Any] = []  # tensors whose .grad must be None at the start
        self.wanted: list[Source] = []  # what the results can be differentiated by
        self.gradients: list[Value] = []  # and the gradients
        self._values: dict[Value, Any] = {}  # second trace -> graph
        self._pairs: dict[Value, Value] = {}  # first trace -> second trace
        self._origin: dict[Value, Source] = {}  # second trace -> where an input comes from
        self._parts: dict[int, Any] = {}  # tensors of the result
        self._with_grads: list[Any] = []  # tensors whose .grad the call makes
        self._grad_storages: set[Any] = set()
        self.bases: dict[Any, Output] = {}  # memory that several results show
        self.layouts: dict[int, Any] = {}  # of outputs that are not in C order, see `layout_of`
        self._shown: set[Any] = set()  # and that is a result itself
        self.writes_counted: dict[int, int] = {}  # input -> how often the call wrote into it
        self.inference: list[bool] = []  # of each output: whether it is made so
        self.versions: dict[int, int] = {}  # of outputs that the call wrote in place: how often
        self.spent: list[tuple[int, str]] = []  # outputs nobody can differentiate, and why
        self._compare_traces()
        self._compare_effects()
        self._inputs()
        self._instructions()
        self._writes()
        self._grads()
        self._seen = {id(thing) for thing in second.scan.objects.values()}
        self._callers = self._seen | containers_in(second.given)
        self.result = self._outputs(first.result, second.returned)
        self._differentials()
        if verifying():  # passes check what they make of it in any case
            verify(self.graph, "capture")

    # ---- comparing -------------------------------------------------------------------------------

    def _compare_traces(self) -> None:
        a, b = self.first.trace, self.second.trace
        if len(a.graph.instrs) != len(b.graph.instrs) or len(a.outside) != len(b.outside):
            raise Unlike(
                f"two calls did different things ({len(a.graph.instrs)} and "
                f"{len(b.graph.instrs)} ops): a Python branch depends on something that changes"
            )
        for x, y in zip(a.outside, b.outside, strict=True):
            self._pairs[x.value] = y.value
        for x, y in zip(a.graph.instrs, b.graph.instrs, strict=True):
            if x.op != y.op or not _same_params(x.params, y.params):
                raise Unlike(
                    f"two calls did different things: {x.op} {x.params} and {y.op} {y.params} at "
                    f"{_where(y)}"
                )
            self._pairs.update(zip(x.outputs, y.outputs, strict=True))

    def _compare_effects(self) -> None:
        """Switches that the call sets must be set to the same in every call."""
        if self.first.effects != self.second.effects:
            raise CaptureError("two calls set Python values to different ones")
        places = self.second.scan.places
        self.settings = [(places[path], now) for path, now in self.second.effects.items()]

    def _inputs(self) -> None:
        for x, y in zip(self.first.trace.outside, self.second.trace.outside, strict=True):
            found = self._source(x, y)
            if found is None:
                self._values[y.value] = self._constant(x, y)
            else:
                self._values[y.value] = self._input(y.value, found)
                self._origin[y.value] = found

    def _input(self, like: Value, where: Source) -> Value:
        self.sources.append(where)
        return self.graph.input(like.shape, like.dtype, _name(where))

    def _source(self, x: Outside, y: Outside) -> Source | None:
        array = y.storage.array
        for i, leaf in enumerate(self.second.leaves):
            if isinstance(leaf, TensorBase) and leaf._a is array:
                return Source("argument", i)
        for k, seed in enumerate(self.second.seeds):
            if seed is y.tensor:
                return Source("seed", k)
        owner = self.second.owner_of_gradient(array)
        if owner is not None:
            return Source("grad", owner)
        for _, tensor in self.second.scan.tensors.values():
            if tensor._a is array:
                return Source("tensor", tensor)
        # (Of a call that is compared with itself nothing is known but what is in sight.)
        return Source("tensor", y.tensor) if x is not y and x.tensor is y.tensor else None

    def _constant(self, x: Outside, y: Outside) -> Value:
        if x.before is None or y.before is None:
            raise CaptureError("two calls were given tensors in different ways")
        self._refuse_shared(y.storage.array)  # pyright: ignore[reportArgumentType]
        if not _same_bits(x.before, y.before):
            raise CaptureError(
                f"a tensor of type {y.value.type} is made anew in every call with other values "
                "(random numbers, data from NumPy): pass it as an argument"
            )
        return self.graph.constant(y.before)

    def _refuse_shared(self, array: np.ndarray) -> None:
        """What no op made is a constant, unless it shows memory that others write."""
        if any(np.may_share_memory(array, memory) for _, memory in self.second.memory):
            raise CaptureError(
                "a tensor that no op of the function made shares memory with one that it sees "
                "(state_dict() inside); take a view of that tensor, or a copy"
            )

    # ---- instructions ----------------------------------------------------------------------------

    def _instructions(self) -> None:
        pairs = zip(self.first.trace.graph.instrs, self.second.trace.graph.instrs, strict=True)
        for x, y in pairs:
            operands = [self._operand(u, v, y) for u, v in zip(x.inputs, y.inputs, strict=True)]
            self._values.update({v: v for v in y.outputs})
            self.graph.append(y.op, operands, y.params, y.outputs, y.source)

    def _operand(self, u: Any, v: Any, instr: Instr) -> Any:
        if isinstance(v, Value):
            if self._pairs.get(u) is not v:
                raise CaptureError(f"two calls used different values at {_where(instr)}")
            return self._values[v]
        if isinstance(v, Operand):
            return self._number(u, v, instr)
        if not same_number(u, v):
            raise CaptureError(
                f"a number computed in Python changes from call to call ({u!r}, then {v!r}) at "
                f"{_where(instr)}; keep it in a tensor"
            )
        return v

    def _number(self, u: Any, v: Operand, instr: Instr) -> Value:
        """A number that is followed: the expression must say what the plain call computed."""
        if u is not v and not same_number(u, v.expression.evaluate(self.first.number_at)):
            raise CaptureError(
                f"a number that changes is taken in a way that cannot be followed ({u!r}), at "
                f"{_where(instr)}; keep it in a tensor"
            )
        key = v.expression.key()
        if key not in self.numbers:
            self.numbers[key] = self.graph.input(
                (), v.kind, f"number{len(self.numbers)}", weak=True
            )
            self.sources.append(Source("number", v.expression))
        return self.numbers[key]

    # ---- effects ---------------------------------------------------------------------------------

    def _writes(self) -> None:
        targets = set(self.graph.inputs)
        for outside in self.second.trace.outside:
            storage = outside.storage
            target = self._values[outside.value]
            if storage.value is not storage.first and target in targets:
                self.graph.write(self._values[storage.value], target)
                self.writes_counted[self.graph.inputs.index(target)] = self._count_of_writes(
                    self._origin[outside.value]
                )

    def _count_of_writes(self, where: Source) -> int:
        """How often the call wrote into a tensor; through `x.data` writes are not counted."""
        tensor = self.second.leaves[where.what] if where.kind == "argument" else where.what
        tensor = tensor._grad if where.kind == "grad" else tensor
        if tensor is None or tensor._v is None:
            return 1
        return tensor._v[0] - self.second.versions.get(id(tensor._v), tensor._v[0] - 1)

    def _grads(self) -> None:
        """Gradients that the call installed become buffers the plan writes into."""
        trace = self.second.trace
        before = self.second.grads_before
        tensors = {id(t): t for t in self.second.tensors()}
        # A leaf that is another one in every call was made inside: its gradient ends with the call.
        lasting = self.first.trace.leaves.keys()
        tensors |= {key: leaf for key, leaf in trace.leaves.items() if key in lasting}
        for tensor in tensors.values():
            now, had = tensor._grad, before.get(id(tensor))
            if now is (None if had is None else had()):
                if now is None and had is not None:
                    self.cleared.append(tensor)
                continue
            if now is None:
                self.cleared.append(tensor)
                continue
            known = trace.known.get(id(now._a))
            if known is None or known.storage.origin is not None:
                raise CaptureError("the call makes a tensor that existed before a .grad")
            if had is None:
                self.without_grad.append(tensor)
            self._with_grads.append(tensor)
            self._grad_storages.add(known.storage)
            value = self._values[trace._current(known)]
            buffer = self._input(value, Source("new grad", tensor))
            buffer.room = True
            self.graph.write(value, buffer)

    # ---- results ---------------------------------------------------------------------------------

    def _outputs(self, before: Any, result: Any) -> Any:
        """The result's structure with a position in the plan's outputs for each tensor."""
        if isinstance(result, Number):
            return Computed(result.expression)
        if type(before) is not type(result):
            raise CaptureError("two calls returned different things")
        if isinstance(result, TensorBase):
            if id(result) not in self._parts:
                self._parts[id(result)] = self._output(before, result)
            return self._parts[id(result)]
        if isinstance(result, list | dict) and id(result) in self._callers:
            return self._own_container(before, result)
        if isinstance(result, tuple | list | dict) and len(before) != len(result):
            raise CaptureError("two calls returned results of different lengths")
        if isinstance(result, tuple | list):
            items = [self._outputs(b, r) for b, r in zip(before, result, strict=True)]
            if hasattr(result, "_fields"):
                return type(result)(*items)
            return type(result)(items)
        if isinstance(result, dict):
            items = {k: self._outputs(before.get(k), v) for k, v in result.items()}
            return items if type(result) is dict else rebuilt_dict(result, items)
        if result is None or isinstance(result, bool | int | float | str):
            if not same_number(before, result):
                raise CaptureError(f"the function returns a number that changes ({result!r})")
            return Fixed(result)
        raise CaptureError(f"the function returns a {type(result).__name__}")

    def _own_container(self, before: Any, result: Any) -> Fixed:
        """A list or dict that the caller has, too: it gets this one, with what is in it then."""
        if before is not result or id(result) not in self._seen:
            raise CaptureError(
                f"the function returns a {type(result).__name__} that it was given, or that is "
                "another one in every call; return a copy"
            )
        return Fixed(result)

    def _output(self, before: Any, t: Any) -> Any:
        for i, leaf in enumerate(self.second.leaves):
            if leaf is t:
                return Same(i, None)
        if id(t) in self.second.scan.tensors:
            return Same(None, t)
        for owner in self._with_grads:
            if owner._grad is t:
                return GradOf(owner)
        trace = self.second.trace
        known = trace.known.get(id(t._a))
        if known is None and t._lazy:
            raise CaptureError(
                "a result is a conjugate that is still to be computed, on memory from outside; "
                "return x.conj().resolve_conj()"
            )
        if known is None:
            return self._constant_output(before, t)
        if known.storage in self._grad_storages:
            raise CaptureError("a result shares memory with a gradient; return a copy")
        self._refuse_unusual(t, known)
        if self._origin.get(known.storage.first) is not None:
            return self._alias(known, t)
        if known.storage in self.second.shared:
            return self._view_of_output(known, t)
        return self._new_output(self._values[trace._current(known)], t, t._a.strides, t)

    def _refuse_unusual(self, t: Any, known: Any = None) -> None:
        """Results that a compiled call could not make like this one."""
        kind = FACTORY.Tensor
        base = self.second.shared.get(known.storage) if known is not None else None
        like = t if base is None else base
        followed = any(like is o for o in self.second.opened) or id(like) in self.second.spent
        views = known is not None and self._origin.get(known.storage.first) is not None
        if t._rg and (t.is_leaf or not (followed or views)):
            raise CaptureError(
                "a result is a leaf that requires grad and was made inside of the function; call "
                "requires_grad_() outside"
            )
        if (type(t) is not kind and not t._lazy) or t._grad is not None or vars(t):
            raise CaptureError(
                f"a result is a {type(t).__name__} with a class, a gradient or attributes of its "
                "own, which a compiled call would not give it; do so outside"
            )

    def _new_output(self, value: Any, t: Any, strides: Any, like: Any) -> Output:
        slot = next((k for k, o in enumerate(self.second.opened) if o is t), None)
        layout = layout_of(value.shape, strides, value.dtype.itemsize)
        if layout is not None:
            self.layouts[len(self.graph.outputs)] = layout
        position = len(self.graph.outputs)
        if id(t) in self.second.spent:
            self.spent.append((position, self.second.spent[id(t)]))
        self.graph.outputs.append(value)
        self.inference.append(like._v is None)
        if like._v is not None and like._v[0]:
            self.versions[position] = like._v[0]
        return Output(position, slot)

    def _view_of_output(self, known: Any, t: Any) -> Any:
        """One of several results that show the same memory: as a view of all of it."""
        storage = known.storage
        base = self.second.shared[storage]  # None where none of them has a history
        if storage not in self.bases:
            value = self._values[storage.value]
            self.bases[storage] = self._new_output(value, base, storage.strides, t)
        if base is t or (base is None and not known.chain and storage not in self._shown):
            self._shown.add(storage)
            return self.bases[storage]
        where = Source("output", self.bases[storage].position)
        return Alias(where, known.chain, t, self._value_now(known))

    def _alias(self, known: Any, t: Any) -> Any:
        """A view of what came from outside shows its memory, as in eager code."""
        first = known.storage.first
        origin = self._origin[first]
        written = known.storage.value is not first
        if origin.kind not in ("argument", "tensor") or (written and t._rg):
            raise CaptureError(
                "a result shares memory with a gradient, or with a tensor that the function writes "
                "and that has a history; return a copy"
            )
        owner = self.second.leaves[origin.what] if origin.kind == "argument" else origin.what
        if t._rg and _root(t) is not _root(owner):
            raise CaptureError(
                "a result is a view of a tensor that requires grad and was made inside of the "
                "function, on memory from outside; call requires_grad_() outside"
            )
        return Alias(origin, known.chain, t, self._value_now(known), t._v is not owner._v)

    def _value_now(self, known: Any) -> Any:
        """What ops read that read this view, or None if its memory was written since."""
        return self._values.get(known.value) if known.version == known.storage.version else None

    def _constant_output(self, before: Any, t: Any) -> Output:
        """A tensor made outside of the table (zeros, a range): the same in every call."""
        self._refuse_shared(t._a)
        self._refuse_unusual(t)
        if not _same_bits(before._a, t._a):
            raise CaptureError("the function returns a tensor that no op of it computed")
        self.graph.outputs.append(self.graph.constant(t._a.copy()))
        self.inference.append(t._v is None)
        return Output(len(self.graph.outputs) - 1, None)

    def _differentials(self) -> None:
        """The gradients of the results, after the results themselves."""
        trace = self.second.trace
        for tensor, value in zip(self.second.wanted, self.second.gradients, strict=True):
            where = self._origin.get(trace.known[id(tensor._a)].storage.first)
            if value is not None and where is not None:
                self.wanted.append(where)
                self.gradients.append(self._values[value])
        if self.wanted:
            written = {k for _, k in self.graph.writes}
            sources = [id(self.sources[k]) for k in written]
            if any(id(w) in sources for w in self.wanted):
                raise CaptureError(
                    "the function writes into a tensor that its results are differentiated by"
                )
        self.shown = len(self.graph.outputs)
        if self.second.opened:
            # Kept with the results for who differentiates gradients.
            self.graph.outputs += kept_for(self.graph, list(self.graph.outputs))
        self.results = len(self.graph.outputs)  # what follows are gradients
        self.graph.outputs += self.gradients


class Fixed:
    """A part of the result that is the same in every call."""

    def __init__(self, value: Any) -> None:
        self.value = value


class Computed:
    """A number of the result that is computed from numbers that are followed."""

    def __init__(self, expression: Any) -> None:
        self.expression = expression


class Same:
    """A part of the result that is one of the caller's own tensors."""

    def __init__(self, argument: int | None, tensor: Any) -> None:
        self.argument = argument
        self.tensor = tensor


class GradOf:
    """A part of the result that is the gradient which the call gives to a tensor."""

    def __init__(self, tensor: Any) -> None:
        self.tensor = tensor


class Alias:
    """A part of the result that is a view of one of the caller's own tensors."""

    def __init__(
        self, source: Source, chain: Any, like: Any, value: Any, apart: bool = False
    ) -> None:
        self.source = source
        self.apart = apart  # of `x.data`, whose writes are not counted as those of x
        self.chain = chain
        self.differentiable = bool(like._rg)
        self.value = value
        # Whether it may be written: not if one of several results of an op.
        self.creation = None if like._view is None else like._view[CREATION]


class Output:
    """A part of the result that the plan computes; `slot` numbers those with a gradient."""

    def __init__(self, position: int, slot: int | None) -> None:
        self.position = position
        self.slot = slot


def rebuilt_dict(like: dict[Any, Any], items: dict[Any, Any]) -> Any:
    """A dict subclass (an OrderedDict, a ModelOutput) with other values."""
    made = type(like).__new__(type(like))
    made.update(items)
    return made


def _root(t: Any) -> Any:
    return t if t._view is None else t._view[ROOT]


def _name(where: Source) -> str:
    if where.kind == "argument":
        return f"arg{where.what}"
    if where.kind == "seed":
        return f"gradient of result {where.what}"
    return {"grad": "grad", "new grad": "new grad"}.get(where.kind, "")


def _same_bits(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two arrays hold the same: 0.0 is not -0.0."""
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def _same_params(a: dict[str, Any], b: dict[str, Any]) -> bool:
    return repr(sorted(a.items())) == repr(sorted(b.items()))


def _where(instr: Instr) -> str:
    return source.describe(*instr.source) if instr.source else "an unknown line"
