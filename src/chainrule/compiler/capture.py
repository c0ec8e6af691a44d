"""From two traces of a function to one program: what is an input, a constant, an effect.

The same call is traced twice.  Both must do the same ops on the same shapes; what differs decides:
a number that differs must be found where the function can see it (a learning rate in a dict) and
becomes an input; an array that differs and is no input makes the capture fail with the reason.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..autograd import source
from ..autograd.value import TensorBase
from .graph import Graph, Instr, Value, verify
from .scan import Scan
from .tracer import CaptureError, Outside, Trace


class Call:
    """One traced call: its arguments, what the function could see, what it did and returned."""

    def __init__(self, function: Callable[..., Any], args: Any, kwargs: Any) -> None:
        self.leaves: list[Any] = []
        flatten((args, kwargs), self.leaves)
        self.scan = Scan(function)
        self.grads = {  # array of a gradient at entry -> the tensor it belongs to
            id(t._grad._a): t for t in self._tensors() if t._grad is not None
        }
        self.had_grad = {id(t): t for t in self._tensors() if t._grad is not None}
        self.trace: Trace
        self.result: Any = None

    def _tensors(self) -> list[Any]:
        seen = [t for _, t in self.scan.tensors.values()]
        return seen + [t for t in self.leaves if isinstance(t, TensorBase)]

    def check_side_effects(self, function: Callable[..., Any]) -> None:
        """Python state that the call changed would stay unchanged in compiled calls."""
        after = Scan(function)
        for path, value in self.scan.values.items():
            if path in after.values and not _same_number(after.values[path], value):
                raise CaptureError(
                    f"the call changes a Python value ({self.scan.describe(path)}: {value!r} -> "
                    f"{after.values[path]!r}), which a compiled call would not; keep it in a "
                    "tensor or change it outside"
                )
        for path, size in self.scan.sizes.items():
            if after.sizes.get(path, size) != size:
                raise CaptureError(
                    f"the call changes the length of a container ({path}: {size} -> "
                    f"{after.sizes[path]}), which a compiled call would not"
                )


def flatten(value: Any, into: list[Any]) -> None:
    """The leaves of nested tuples, lists and dicts, in order."""
    if isinstance(value, tuple | list):
        for item in value:
            flatten(item, into)
    elif isinstance(value, dict):
        for key in value:
            flatten(value[key], into)
    else:
        into.append(value)


class Source:
    """Where an input's array (or number) comes from at each call."""

    __slots__ = ("kind", "what")

    def __init__(self, kind: str, what: Any) -> None:
        self.kind = kind  # "argument", "tensor", "grad", "number", "new grad"
        self.what = what


class Program:
    """A graph with the meaning of its inputs and outputs in terms of the user's objects."""

    def __init__(self, first: Call, second: Call) -> None:
        self.first, self.second = first, second
        self.graph = Graph()
        self.sources: list[Source] = []
        self.numbers: dict[str, Value] = {}  # path -> weak input
        self.varying: set[str] = set()  # paths that differed but do not matter
        self.cleared: list[Any] = []  # tensors whose .grad the call sets to None
        self._values: dict[Value, Any] = {}  # second trace -> graph
        self._pairs: dict[Value, Value] = {}  # first trace -> second trace
        self._compare_traces()
        self._inputs()
        self._instructions()
        self._writes()
        self._grads()
        self.result = self._outputs(first.result, second.result)
        verify(self.graph, "capture")

    # ---- comparing -------------------------------------------------------------------------------

    def _compare_traces(self) -> None:
        a, b = self.first.trace, self.second.trace
        same = len(a.graph.instrs) == len(b.graph.instrs) and len(a.outside) == len(b.outside)
        if not same:
            raise CaptureError(
                f"two calls did different things ({len(a.graph.instrs)} and "
                f"{len(b.graph.instrs)} ops): a Python branch depends on something that changes"
            )
        for x, y in zip(a.outside, b.outside, strict=True):
            self._pairs[x.value] = y.value
        for x, y in zip(a.graph.instrs, b.graph.instrs, strict=True):
            if x.op != y.op or not _same_params(x.params, y.params):
                raise CaptureError(
                    f"two calls did different things: {x.op} {x.params} and {y.op} {y.params} at "
                    f"{_where(y)}"
                )
            self._pairs.update(zip(x.outputs, y.outputs, strict=True))

    def _inputs(self) -> None:
        self.varying = {
            path
            for path, value in self.second.scan.values.items()
            if not _same_number(self.first.scan.values.get(path, value), value)
        }
        for x, y in zip(self.first.trace.outside, self.second.trace.outside, strict=True):
            found = self._source(x, y)
            if found is None:
                self._values[y.value] = self._constant(x, y)
            else:
                self._values[y.value] = self._input(y.value, found)

    def _input(self, like: Value, where: Source) -> Value:
        self.sources.append(where)
        return self.graph.input(like.shape, like.dtype, _name(where))

    def _source(self, x: Outside, y: Outside) -> Source | None:
        array = y.storage.array
        for i, leaf in enumerate(self.second.leaves):
            if isinstance(leaf, TensorBase) and leaf._a is array:
                return Source("argument", i)
        owner = self.second.grads.get(id(array))
        if owner is not None:
            return Source("grad", owner)
        for _, tensor in self.second.scan.tensors.values():
            if tensor._a is array:
                return Source("tensor", tensor)
        return Source("tensor", y.tensor) if x.tensor is y.tensor else None

    def _constant(self, x: Outside, y: Outside) -> Value:
        if not np.array_equal(x.before, y.before, equal_nan=y.before.dtype.kind in "fc"):
            raise CaptureError(
                f"a tensor of type {y.value.type} is made anew in every call with other values "
                "(random numbers, data from NumPy): pass it as an argument"
            )
        return self.graph.constant(y.before)

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
        if _same_number(u, v):
            return v
        return self._number(u, v, instr)

    def _number(self, u: Any, v: Any, instr: Instr) -> Value:
        """A number that differs between the calls: it must be one the function can see."""
        for path, now in self.second.scan.values.items():
            before = self.first.scan.values.get(path)
            if isinstance(now, bool) or not isinstance(now, int | float):
                continue
            if _same_number(before, u) and _same_number(now, v):
                if path not in self.numbers:
                    self.numbers[path] = self.graph.input((), type(v), path, weak=True)
                    self.sources.append(Source("number", path))
                return self.numbers[path]
        raise CaptureError(
            f"a number computed in Python changes from call to call ({u!r}, then {v!r}) at "
            f"{_where(instr)}; keep it in a tensor"
        )

    # ---- effects ---------------------------------------------------------------------------------

    def _writes(self) -> None:
        targets = dict(zip(self.graph.inputs, self.sources, strict=True))
        for outside in self.second.trace.outside:
            storage = outside.storage
            target = self._values[outside.value]
            if storage.value is not storage.first and target in targets:
                self.graph.write(self._values[storage.value], target)

    def _grads(self) -> None:
        """Gradients that backward installed become buffers the plan writes into."""
        for leaf in self.second.trace.leaves.values():
            if leaf._grad is None:
                continue
            known = self.second.trace.known[id(leaf._grad._a)]
            if known.storage.origin is None:
                value = self._values[self.second.trace._current(known)]
                target = self._input(value, Source("new grad", leaf))
                self.graph.write(value, target)
        for tensor in self.second.had_grad.values():
            if tensor._grad is None:
                self.cleared.append(tensor)

    def _outputs(self, before: Any, result: Any) -> Any:
        """The result's structure with a position in the plan's outputs for each tensor."""
        if type(before) is not type(result):
            raise CaptureError("two calls returned different things")
        if isinstance(result, TensorBase):
            return self._output(before, result)
        if isinstance(result, tuple | list | dict) and len(before) != len(result):
            raise CaptureError("two calls returned results of different lengths")
        if isinstance(result, tuple | list):
            items = [self._outputs(b, r) for b, r in zip(before, result, strict=True)]
            if hasattr(result, "_fields"):
                return type(result)(*items)
            return type(result)(items)
        if isinstance(result, dict):
            return {k: self._outputs(before.get(k), v) for k, v in result.items()}
        if result is None or isinstance(result, bool | int | float | str):
            if not _same_number(before, result):
                raise CaptureError(f"the function returns a number that changes ({result!r})")
            return Fixed(result)
        raise CaptureError(f"the function returns a {type(result).__name__}")

    def _output(self, before: Any, t: Any) -> Any:
        for i, leaf in enumerate(self.second.leaves):
            if leaf is t:
                return Same(i, None)
        if id(t) in self.second.scan.tensors:
            return Same(None, t)
        value = self.second.trace.value_of(t)
        if value is None:
            return self._constant_output(before, t)
        if t._rg and not self.second.trace.leaves:
            raise CaptureError(
                "the result requires grad and would be differentiated outside of the compiled "
                "function; compile the whole step (with backward), or call it under no_grad()"
            )
        self.graph.outputs.append(self._values[value])
        return Output(len(self.graph.outputs) - 1)

    def _constant_output(self, before: Any, t: Any) -> Output:
        """A tensor made outside of the table (zeros, a range): the same in every call."""
        if not np.array_equal(before._a, t._a, equal_nan=t._a.dtype.kind in "fc"):
            raise CaptureError("the function returns a tensor that no op of it computed")
        self.graph.outputs.append(self.graph.constant(t._a.copy()))
        return Output(len(self.graph.outputs) - 1)


class Fixed:
    """A part of the result that is the same in every call."""

    def __init__(self, value: Any) -> None:
        self.value = value


class Same:
    """A part of the result that is one of the caller's own tensors."""

    def __init__(self, argument: int | None, tensor: Any) -> None:
        self.argument = argument
        self.tensor = tensor


class Output:
    """A part of the result that the plan computes."""

    def __init__(self, position: int) -> None:
        self.position = position


def _name(where: Source) -> str:
    if where.kind == "argument":
        return f"arg{where.what}"
    return {"grad": "grad", "new grad": "new grad"}.get(where.kind, "")


def _same_number(a: Any, b: Any) -> bool:
    return type(a) is type(b) and (a == b or (a != a and b != b))


def _same_params(a: dict[str, Any], b: dict[str, Any]) -> bool:
    return repr(sorted(a.items())) == repr(sorted(b.items()))


def _where(instr: Instr) -> str:
    return source.describe(*instr.source) if instr.source else "an unknown line"
