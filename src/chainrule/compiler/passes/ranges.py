"""One program for many lengths, from the programs of two.

`Template` compares two programs of a function that differ in the length of one axis and finds how
that length goes through them (`varying_axes.py`). `build` writes the program with room for some
length: arrays are padded, and what sums along the axis is masked, so that every element within the
length is what the program of that very length computes. `fit` asks whether a third program, traced
with another length, is that one, too: nothing is taken for granted from two lengths.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ..graph.exact_numbers import same_number
from ..graph.op_table import lookup, lowering
from ..graph.program import Graph, Instr, Value
from ..graph.types import emit, infer
from .expand import expand
from .lengths import Axes, Axis, Unfit, axis_between, mask_of, padded, shape_at, varies
from .varying_axes import Passed, Setting, passed


class Step(NamedTuple):
    """An instruction on varying axes: its results' axes, and what depends on the length."""

    instr: Instr
    axes: list[Axes]
    masks: dict[int, Any]
    numbers: dict[int, int]  # operand -> which of the numbers that depend on the length
    stop: int | None  # end of a slice, less the length
    shaped: bool  # whether the parameter `shape` is the result's

    def params(self, n: int) -> dict[str, Any]:
        """The parameters for a length."""
        params = dict(self.instr.params)
        if self.stop is not None:
            params["stop"] = n + self.stop
        if self.shaped:
            params["shape"] = shape_at(self.axes[0], n)
        return params


class Length(NamedTuple):
    """What a program needs to know of one length."""

    n: int
    constants: list[np.ndarray]
    numbers: list[Any]


class Built(NamedTuple):
    """The program with room, and the masks it takes after all other inputs."""

    graph: Graph
    room: int
    masks: list[Axis]


class Template:
    """See the module's docstring."""

    def __init__(self, old: Graph, new: Graph) -> None:
        self.graph = new
        self.at = _lengths(old, new)
        if any(v.dtype.itemsize == 2 and v.dtype.kind not in "iu" for v in _values(new)):
            raise Unfit("numbers of half precision")
        self.inputs: list[Axes] = [self._between(a, b) for a, b in _zipped(old.inputs, new.inputs)]
        pairs = list(_matched(old, new))
        self.varying = {i for i, (a, b) in enumerate(pairs) if not _same(a, b)}
        olds, self._part = _part(old, self.varying), _part(new, self.varying)
        self.steps: list[Step] = []
        self._numbers = 0
        self._axes: dict[Value, Axes] = dict(_zipped(new.inputs, self.inputs))
        self._constants = self._find_constants(olds, self._part)
        self._find_steps(olds)
        self.outputs = [self._output(v) for v in new.outputs]
        for v, k in new.writes:
            if any(map(varies, (*self.axes_of(v), *self.inputs[k]))):
                raise Unfit("an array of varying length is written")
        self.fit(old)  # what was found says the same of both

    def axes_of(self, v: Value) -> Axes:
        """The axes of a value of the second program."""
        v = self._part.standing.get(v, v)
        return self._axes.get(v) or tuple((n,) for n in v.shape)

    def _between(self, a: Value, b: Value) -> Axes:
        return tuple(axis_between(x, y, self.at) for x, y in _zipped(a.shape, b.shape))

    def _output(self, v: Any) -> Axes | None:
        return self.axes_of(v) if isinstance(v, Value) else None

    def _find_constants(self, old: _Part, new: _Part) -> list[Value]:
        """Constants of varying length: their beginnings are the same for every length."""
        found = []
        for a, b in _zipped(old.graph.constants, new.graph.constants):
            axes = self._axes[b] = self._between(a, b)
            if any(map(varies, axes)):
                found.append(b)
        self._longest = {v: new.graph.constants[v] for v in found}
        return found

    def _find_steps(self, old: _Part) -> None:
        known: set[Axis] = {a for axes in self._axes.values() for a in axes if varies(a)}
        for a, b in _matched(old.graph, self._part.graph):
            axes = [self.axes_of(x) if isinstance(x, Value) else () for x in b.inputs]
            found = passed(Setting(a, b, axes, self.at, known))
            step = self._step(a, b, found)
            self.steps.append(step)
            for v, made in _zipped(b.outputs, step.axes):
                self._axes[v] = made
                known |= {axis for axis in made if varies(axis)}

    def _step(self, a: Instr, b: Instr, found: Passed) -> Step:
        numbers = {}
        for k, (x, y) in enumerate(_zipped(a.inputs, b.inputs)):
            if not isinstance(y, Value) and not same_number(x, y):
                if lowering(b.op).tag != "pointwise" or type(x) is not type(y):
                    raise Unfit(f"a number of {b.op} depends on the length")
                numbers[k] = self._numbers
                self._numbers += 1
        differing = {k for k in b.params if repr(a.params[k]) != repr(b.params[k])}
        if differing - {"shape", "stop"}:
            raise Unfit(f"{b.op} depends on the length in other ways than by shape")
        stop = b.params["stop"] - self.at[1] if "stop" in differing else None
        return Step(b, found.axes, found.masks, numbers, stop, "shape" in differing)

    # ---- other lengths ---------------------------------------------------------------------------

    def fit(self, graph: Graph) -> Length:
        """What is to be known of the length of a program of the same kind, or `Unfit`."""
        n = self._length(graph)
        pairs = list(_matched(self.graph, graph))
        if any(not _same(a, b) for i, (a, b) in enumerate(pairs) if i not in self.varying):
            raise Unfit("another part of the program depends on the length")
        part = _part(graph, self.varying)
        numbers: list[Any] = [None] * self._numbers
        for step, (mine, other) in _zipped(self.steps, _matched(self._part.graph, part.graph)):
            if [v.shape for v in other.outputs] != [shape_at(axes, n) for axes in step.axes]:
                raise Unfit(f"{other.op} gives another shape for {n}")
            if _text(step.params(n)) != _text(other.params):
                raise Unfit(f"{other.op} has other parameters for {n}")
            for k, (x, y) in enumerate(_zipped(mine.inputs, other.inputs)):
                if k in step.numbers and type(x) is type(y):
                    numbers[step.numbers[k]] = y
                elif not isinstance(y, Value) and not same_number(x, y):
                    raise Unfit(f"{other.op} takes another number for {n}")
        found = _zipped(self._part.graph.constants, part.graph.constants.values())
        constants = [self._constant(v, array, n) for v, array in found]
        return Length(n, [a for a in constants if a is not None], numbers)

    def _length(self, graph: Graph) -> int:
        given = [v.shape for v in graph.inputs]
        for axes, shape in _zipped(self.inputs, given):
            for axis, length in _zipped(axes, shape):
                if varies(axis):
                    n = length - axis[0].plus
                    if [shape_at(x, n) for x in self.inputs] != given or n < 2:
                        raise Unfit("lengths do not belong together")
                    return n
        raise Unfit("no length varies")

    def _constant(self, v: Value, array: np.ndarray, n: int) -> np.ndarray | None:
        if v not in self._longest:
            known = self._part.graph.constants[v]
            if known.tobytes() != array.tobytes():
                raise Unfit("a constant depends on the length")
            return None
        if array.shape != shape_at(self._axes[v], n):
            raise Unfit("a constant has another shape")
        longest = self._longest[v]
        common = tuple(slice(0, min(a, b)) for a, b in _zipped(array.shape, longest.shape))
        if np.array(array[common]).tobytes() != np.array(longest[common]).tobytes():
            raise Unfit("a constant has other contents for every length")
        if array.size > longest.size:
            self._longest[v] = array
        return array

    # ---- building --------------------------------------------------------------------------------

    def build(self, room: int) -> Built:
        """The program with room for a length; constants, numbers and masks are its last inputs."""
        return _Builder(self, room).built()

    def extras(self, built: Built, length: Length) -> list[Any]:
        """The last inputs of a built program for a length."""
        n, room = length.n, built.room
        constants = [
            padded(a, self._axes[v], n, room) for v, a in _zipped(self._constants, length.constants)
        ]
        return [*constants, *length.numbers, *(mask_of(axis, n, room) for axis in built.masks)]


class _Part(NamedTuple):
    """The varying instructions of a program, in pieces."""

    graph: Graph
    standing: dict[Value, Any]  # a value of the program -> what it is here


def _part(graph: Graph, chosen: set[int]) -> _Part:
    part = Graph()
    part.constants = dict(graph.constants)
    inside: set[Value] = set()
    for i in sorted(chosen):
        instr = graph.instrs[i]
        for v in instr.values:
            if v not in inside and v not in part.constants and v not in part.inputs:
                part.inputs.append(v)
                part.input_names.append("")
        part.append(instr.op, instr.inputs, instr.params, instr.outputs, i)
        inside.update(instr.outputs)
    made = [v for i in sorted(chosen) for v in graph.instrs[i].outputs]
    part.outputs = list(made)
    pieces = expand(part)
    return _Part(pieces, dict(_zipped(made, pieces.outputs)))


class _Builder:
    """Writes the program of a template with room for a length."""

    def __init__(self, template: Template, room: int) -> None:
        self.template, self.room = template, room
        self.graph = graph = Graph()
        source = template.graph
        self.values: dict[Value, Any] = {}
        for v, axes, name in zip(source.inputs, template.inputs, source.input_names, strict=True):
            twin = graph.input(shape_at(axes, room), v.dtype, name, weak=v.weak)
            twin.room = v.room
            self.values[v] = twin
        part = template._part.graph
        for v, array in {**source.constants, **part.constants}.items():
            if v in template._longest:
                self.values[v] = graph.input(shape_at(template._axes[v], room), v.dtype)
            else:
                self.values[v] = graph.constant(array)
        self.numbers: dict[int, Value] = {}
        for step in template.steps:
            for k, number in sorted(step.numbers.items(), key=lambda item: item[1]):
                kind = type(step.instr.inputs[k])
                self.numbers[number] = graph.input((), kind, weak=True)
        self.masks: dict[Axis, Value] = {}
        self.masked: dict[Any, Value] = {}

    def built(self) -> Built:
        template, graph = self.template, self.graph
        waiting = list(template.steps)
        for i, instr in enumerate(template.graph.instrs):
            if i not in template.varying:
                operands = [self.operand(x) for x in instr.inputs]
                self.values.update({v: v for v in instr.outputs})
                graph.append(instr.op, operands, instr.params, instr.outputs, instr.source)
                continue
            while waiting and waiting[0].instr.source == i:
                self.append(waiting.pop(0), instr.source)
        graph.outputs = [self.operand(v) for v in template.graph.outputs]
        graph.writes = [(self.operand(v), k) for v, k in template.graph.writes]
        return Built(graph, self.room, list(self.masks))

    def operand(self, x: Any) -> Any:
        if not isinstance(x, Value):
            return x
        standing = self.template._part.standing.get(x, x)
        return self.values[standing] if isinstance(standing, Value) else standing

    def append(self, step: Step, source: Any) -> None:
        instr = step.instr
        operands = []
        for k, x in enumerate(instr.inputs):
            value = self.numbers[step.numbers[k]] if k in step.numbers else self.operand(x)
            if k in step.masks and isinstance(x, Value):
                value = self.within(value, self.template.axes_of(x), step.masks[k])
            operands.append(value)
        made = [
            Value(shape_at(axes, self.room), v.dtype)
            for v, axes in _zipped(instr.outputs, step.axes)
        ]
        params = step.params(self.room)
        if lowering(instr.op).tag == "extern":
            _check_extern(instr.op, operands, params, made)
        elif infer(instr.op, operands, params) != [(v.shape, v.dtype) for v in made]:
            raise Unfit(f"{instr.op} gives another shape when there is more room")
        self.graph.append(instr.op, operands, params, made, source)
        self.values.update(_zipped(instr.outputs, made))

    def within(self, value: Value, axes: Axes, neutral: Any) -> Value:
        """The value, neutral beyond the length."""
        for k, axis in enumerate(axes):
            if not varies(axis):
                continue
            key = (value, k, repr(neutral))
            if key not in self.masked:
                if axis not in self.masks:
                    self.masks[axis] = self.graph.input(shape_at((axis,), self.room), np.bool_)
                lines = [1] * len(axes)
                lines[k] = value.shape[k]
                mask = emit(self.graph, "reshape", self.masks[axis], shape=tuple(lines))
                other = self.graph.constant(np.array(neutral, value.dtype))
                self.masked[key] = emit(self.graph, "where", mask, value, other)
            value = self.masked[key]
        return value


def _check_extern(op: str, operands: list[Any], params: Any, made: list[Value]) -> None:
    """An op without a rule for its type may return other shapes when there is more room."""
    arrays = [np.zeros(x.shape, x.dtype) if isinstance(x, Value) else x for x in operands]
    result = lookup(op).forward(*arrays, **params)
    results = result if isinstance(result, tuple | list) else (result,)
    found = [(np.shape(r), np.asarray(r).dtype) for r in results if r is not None]
    if found != [(v.shape, v.dtype) for v in made]:
        raise Unfit(f"{op} gives results of other types when there is more room")


# ---- two programs side by side -------------------------------------------------------------------


def _zipped(a: Any, b: Any) -> Iterator[tuple[Any, Any]]:
    """Pairs of things that must be as many."""
    a, b = list(a), list(b)
    if len(a) != len(b):
        raise Unfit("the programs differ")
    return zip(a, b, strict=True)


def _matched(old: Graph, new: Graph) -> Iterator[tuple[Instr, Instr]]:
    """Instructions of two programs that do the same on the same; shapes may differ."""
    pairs: dict[Value, Value] = dict(_zipped(old.inputs, new.inputs))
    pairs.update(_zipped(old.constants, new.constants))
    if any((a.dtype, a.weak, a.room) != (b.dtype, b.weak, b.room) for a, b in pairs.items()):
        raise Unfit("the programs take other types")
    for a, b in _zipped(old.instrs, new.instrs):
        same = (
            a.op == b.op and len(a.inputs) == len(b.inputs) and a.params.keys() == b.params.keys()
        )
        if not same or not all(
            pairs.get(x) is y if isinstance(x, Value) else type(x) is type(y)
            for x, y in _zipped(a.inputs, b.inputs)
        ):
            raise Unfit(f"the programs differ at {b.op}")
        for x, y in _zipped(a.outputs, b.outputs):
            if x.dtype != y.dtype or x.ndim != y.ndim:
                raise Unfit(f"the programs differ at {b.op}")
            pairs[x] = y
        yield a, b
    for x, y in _zipped(old.outputs, new.outputs):
        if (pairs.get(x) is not y) if isinstance(x, Value) else not same_number(x, y):
            raise Unfit("the programs have other results")
    if [(pairs.get(v), k) for v, k in old.writes] != list(new.writes):
        raise Unfit("the programs write other things")


def _same(a: Instr, b: Instr) -> bool:
    """Whether nothing in an instruction depends on the length."""
    inputs, outputs = zip(a.inputs, b.inputs, strict=True), zip(a.outputs, b.outputs, strict=True)
    return (
        all(x.shape == y.shape if isinstance(x, Value) else same_number(x, y) for x, y in inputs)
        and all(x.shape == y.shape for x, y in outputs)
        and _text(a.params) == _text(b.params)
    )


def _text(params: dict[str, Any]) -> str:
    return repr(sorted(params.items()))


def _values(graph: Graph) -> Iterator[Value]:
    yield from graph.inputs
    for instr in graph.instrs:
        yield from instr.outputs


def _lengths(old: Graph, new: Graph) -> tuple[int, int]:
    """The length that differs between the inputs of two programs: the first one met."""
    for a, b in _zipped(old.inputs, new.inputs):
        for x, y in _zipped(a.shape, b.shape):
            if x != y:
                return x, y
    raise Unfit("no length varies")
