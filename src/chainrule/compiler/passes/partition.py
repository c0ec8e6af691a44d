"""One traced program of results and gradients, cut into a forward and a backward program.

What depends on the gradients of the results runs backward, the rest forward.  Values of the forward
program that the backward one reads are saved: outputs of one, inputs of the other.  Rearrangements
and elementwise results of what is saved anyway are computed again instead: inside a loop that
costs less than memory.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..graph.op_table import lookup, lowering
from ..graph.program import Graph, Instr, Value
from .algebra import simplify
from .cse import merge_duplicates
from .dce import drop_dead
from .expand import expand
from .fold import fold_constants

_TOGETHER = (
    expand,
    fold_constants,
    simplify,
    merge_duplicates,
    fold_constants,
    simplify,
    drop_dead,
)


class Partition:
    """`forward` returns results, then saved values; `backward` takes what `needs` lists.

    An entry of `needs` is ("input", number of the forward input), ("output", position in the
    forward outputs) or ("seed", number of the result).
    """

    def __init__(self, graph: Graph, seeds: dict[int, int], results: int) -> None:
        for step in _TOGETHER:
            graph = step(graph)
        self.graph = graph
        self.seed_of = {graph.inputs[k]: slot for k, slot in seeds.items()}
        self.makers = graph.producers()
        # What nobody writes until the gradients come: constants, and numbers.
        self.steady = {*graph.constants, *(v for v in graph.inputs if v.weak)}
        self.gradients = graph.outputs[results:]
        late = self._late()
        self.saved = self._reduced(self._crossing(late), late)
        self.forward = self._forward(results, late)
        self.needs: list[tuple[str, int]] = []
        self.backward = self._backward(late)

    def _late(self) -> set[Instr]:
        """The instructions that must wait for a gradient."""
        known = set(self.seed_of)
        late = set()
        for instr in self.graph.instrs:
            if any(v in known for v in instr.values):
                late.add(instr)
                known.update(instr.outputs)
        return late

    def _crossing(self, late: set[Instr]) -> list[Value]:
        """What the forward part computes and the backward part reads."""
        read = [v for instr in self.graph.instrs if instr in late for v in instr.values]
        read += [v for v in self.gradients if isinstance(v, Value)]
        return [
            v
            for v in dict.fromkeys(read)
            if (maker := self.makers.get(v)) is not None and maker not in late
        ]

    def _reduced(self, crossing: list[Value], late: set[Instr]) -> list[Value]:
        """Take cheap instructions into the backward part while that saves less or the same."""
        self.remade: set[Instr] = set()
        saved = dict.fromkeys(crossing)
        changed = True
        while changed:
            changed = False
            for v in list(saved):
                instr = self.makers[v]
                if self._worth_repeating(instr, saved):
                    del saved[v]
                    self.remade.add(instr)
                    saved.update(dict.fromkeys(x for x in instr.values if x in self.makers))
                    changed = True
        # What is computed again may have been saved for another reader: it need not be any more.
        return [v for v in saved if self.makers[v] not in self.remade]

    def _worth_repeating(self, instr: Instr, saved: dict[Value, None]) -> bool:
        if instr in self.remade or len(instr.outputs) != 1 or lookup(instr.op).random:
            return False
        tag = lowering(instr.op).tag
        new = [x for x in instr.values if x in self.makers and x not in saved]
        new = [x for x in new if self.makers[x] not in self.remade]
        if tag == "move":
            return sum(x.size for x in new) <= instr.outputs[0].size
        if not all(x in self.makers or x in self.steady for x in instr.values):
            return False  # of tensors from outside, which may be written: it is kept, as in eager
        return tag == "index" or (tag == "pointwise" and not new)

    # ---- the two programs ------------------------------------------------------------------------

    def _forward(self, results: int, late: set[Instr]) -> Graph:
        whole = self.graph
        made = Graph()
        self.input_numbers = {}
        for v, name in zip(whole.inputs, whole.input_names, strict=True):
            if v not in self.seed_of:
                self.input_numbers[v] = len(made.inputs)
                made.inputs.append(v)
                made.input_names.append(name)
        made.constants = dict(whole.constants)
        made.instrs = [i for i in whole.instrs if i not in late]
        made.outputs = list(whole.outputs[:results])
        position = {v: k for k, v in enumerate(made.outputs) if isinstance(v, Value)}
        written = {whole.inputs[k] for _, k in whole.writes}
        read = {v for i in whole.instrs if i in late or i in self.remade for v in i.values}
        for v in written & read:  # its memory holds the new value when backward runs
            copied = Value(v.shape, v.dtype)
            made.instrs.insert(0, Instr("copy", (v,), {}, [copied]))
            position[v] = len(made.outputs)
            made.outputs.append(copied)
        for v in self.saved:
            if v not in position:
                position[v] = len(made.outputs)
                made.outputs.append(v)
        made.writes = [(v, self.input_numbers[whole.inputs[k]]) for v, k in whole.writes]
        self.position = position
        return drop_dead(made)

    def _backward(self, late: set[Instr]) -> Graph:
        whole = self.graph
        made = Graph()
        made.constants = dict(whole.constants)
        made.instrs = [i for i in whole.instrs if i in late or i in self.remade]
        made.outputs = list(self.gradients)
        defined = {v for i in made.instrs for v in i.outputs} | set(made.constants)
        read = [v for i in made.instrs for v in i.values]
        read += [v for v in made.outputs if isinstance(v, Value)]
        for v in dict.fromkeys(read):
            if v not in defined:
                self.needs.append(self._need(v))
                made.inputs.append(v)
                made.input_names.append("")
        return drop_dead(made)

    def _need(self, v: Value) -> tuple[str, int]:
        if v in self.seed_of:
            return "seed", self.seed_of[v]
        if v in self.position:
            return "output", self.position[v]
        return "input", self.input_numbers[v]


def without(graph: Graph, absent: Iterable[Value]) -> tuple[Graph, list[bool]]:
    """A backward program for results of which some got no gradient, and which outputs are left.

    It is what the tape does then: nothing is computed from a gradient that is not there, whereas
    zeros in its place would meet infinities.
    """
    gone = set(absent)
    kept = [(v, n) for v, n in zip(graph.inputs, graph.input_names, strict=True) if v not in gone]
    waiting = set(gone) | {v for v, name in kept if name.startswith("seed")}
    made = Graph()
    made.inputs, made.input_names = [v for v, _ in kept], [name for _, name in kept]
    made.constants = dict(graph.constants)
    same: dict[Value, Value] = {}
    for instr in graph.instrs:
        late = [v for v in instr.values if v in waiting]
        waiting.update(instr.outputs if late else ())
        left = [v for v in late if v not in gone]
        if late and not left:
            gone.update(instr.outputs)
            continue
        if len(left) < len(late) and _passes(instr, left):
            same[instr.outputs[0]] = same.get(left[0], left[0])
            continue
        operands = [_present(made, v, gone, same) for v in instr.inputs]
        made.instrs.append(Instr(instr.op, operands, instr.params, instr.outputs, instr.source))
    there = [not (isinstance(v, Value) and v in gone) for v in graph.outputs]
    found = [same.get(v, v) if isinstance(v, Value) else v for v in graph.outputs]
    made.outputs = [v for v, is_there in zip(found, there, strict=True) if is_there]
    return drop_dead(made), there


def _passes(instr: Instr, left: list[Value]) -> bool:
    """Whether a sum of two is the one that is left."""
    if instr.op != "add" or len(left) != 1 or len(instr.inputs) != 2:
        return False
    return (left[0].shape, left[0].dtype) == (instr.outputs[0].shape, instr.outputs[0].dtype)


def _present(graph: Graph, v: object, gone: set[Value], same: dict[Value, Value]) -> object:
    if not isinstance(v, Value):
        return v
    return graph.constant(np.zeros(v.shape, v.dtype)) if v in gone else same.get(v, v)
