"""Functions whose results are differentiated by the caller: a forward and a backward plan.

    loss = criterion(compiled_model(x), y)
    loss.backward()

The results of the forward plan hang on one node of the tape; when a gradient reaches it, the
backward plan runs on what the forward plan saved.
"""

from __future__ import annotations

from typing import Any
from weakref import ref

import numpy as np

from ... import ir
from ...autograd import errors, source
from ...autograd.leaves import GRAPH
from ...autograd.node import Node, OutSlot, start
from ...autograd.record import edge
from ...autograd.running_rules import distinct
from ...autograd.state import STATE
from ...autograd.value import make
from ...ops.schema import TABLE
from ..graph.op_table import lookup, lowering
from ..graph.program import Graph, Value
from ..passes.partition import Partition, without
from ..runtime.plan import Plan
from .program import Alias, Output, Program
from .replay import Replay, leading_to
from .runner import Runner
from .walk import walk

_NUMBERS = (bool, int, float, complex, str, bytes, np.generic)


class CompiledFunctionBackward(Node):
    """The node behind the results of a compiled function."""

    __slots__ = ("results", "runner", "seen", "views")

    multi = True
    materialise = False  # what got no gradient takes no part
    runner: DifferentiableRunner
    results: list[tuple[int, Any]]  # entangled ones, as weak references; empty once unfolded
    views: list[Any]  # nodes before results that share memory and are read: weak references
    seen: Any  # what rules of autograd.Functions could see

    def unfold(self, nr: int) -> bool:
        """Put the nodes of eager code behind this one: somebody wants the whole gradient of a
        result, and a part of it comes from other results, inside of the function."""
        return nr in self.runner.entangled and self.unfold_all()

    def unfold_all(self) -> bool:
        """The same for all results at once, if that was not done."""
        if self.s.__class__ is not tuple:
            return False
        self._check(self.s[2])
        found, values = self.runner.inside(self.s)
        edges = [edge(found[k]) if k in found else None for k in range(len(self.meta))]
        views = [view for reference in self.views if (view := reference()) is not None]
        shown = [edge(values[view.value]) for view in views]
        _age([*edges, *shown], self.key)
        for view, inner in zip(views, shown, strict=True):
            view.lead_to(inner)
        for slot, reference in self.results:
            t: Any = reference()
            if t is None or not isinstance(edges[slot], Node | OutSlot):
                continue
            e = t._node
            if e.__class__ is OutSlot and e.node is self:
                t._node = edges[slot]
        self.parents, self.s, self.results, self.views = tuple(edges), [], [], []
        return True

    def vjp(self, g: Any, parents: tuple[Any, ...]) -> Any:
        if self.s.__class__ is list:
            return tuple(g)
        runner = self.runner
        if self.s is None:
            if runner.keeps_nothing:
                return runner.compute_gradients([], g)
            raise errors.freed(self)
        self._check(self.s[1], g)
        if runner.settings is not None:
            runner.settings.check(self.seen)
        return runner.compute_gradients(self.s[0], g)

    def _check(self, versions: list[Any], g: list[Any] | None = None) -> None:
        """Raise where something was written since which gradients like `g` need."""
        for k, (version, then, shape) in enumerate(versions):
            if version[0] != then and (g is None or self.runner.reads(k, g)):
                raise self._modified(version, then, shape)

    def vjp_tensors(self, g: Any, parents: tuple[Any, ...], mode: str) -> Any:
        if self.s.__class__ is list:
            return tuple(g)
        if mode == GRAPH or STATE.levels or any(x is not None and x._level is not None for x in g):
            if self.s is None:
                raise errors.freed(self)
            self._check(self.s[2])
            found = self.runner.differentiate(self.s, g)
            return found if mode == GRAPH else [x if x is None else x.detach() for x in found]
        arrays = self.vjp([None if x is None else x._a for x in g], parents)
        return tuple(None if a is None else make(a) for a in arrays)

    def _modified(self, version: Any, then: int, shape: Any) -> RuntimeError:
        writer = "an in-place operation"
        if len(version) >= 4:
            writer = f"{version[1]} at {source.describe(version[2], version[3])}"
        return RuntimeError(
            "one of the variables needed for gradient computation has been modified by an inplace "
            f"operation: a tensor of shape {list(shape)} is at version {version[0]}; expected "
            f"version {then} instead.\n"
            f"  needed by:   the compiled function called at {self.where()}\n"
            f"  modified by: {writer}\n"
            "  Fix: use the out-of-place form of the modifying operation, or modify a .clone()."
        )


class CompiledViewBackward(Node):
    """Stands before the node of a result that is a view, and that other results were computed
    from: who asks for its whole gradient is led to the inside of the function."""

    __slots__ = ("shown", "value", "whole")

    whole: CompiledFunctionBackward
    value: Any  # what the other results read
    shown: Any  # the result, as a weak reference

    def unfold(self, nr: int = 0) -> bool:
        """Put the nodes of eager code behind the function's."""
        return self.whole.unfold_all()

    def lead_to(self, inner: Any) -> None:
        """Pass gradients on to this place inside of the function."""
        self.parents = (inner,)
        t = self.shown()
        if t is not None and t._node is self:
            t._node = inner

    def vjp(self, g: Any, parents: tuple[Any, ...]) -> Any:
        return (g,)

    def vjp_tensors(self, g: Any, parents: tuple[Any, ...], mode: str) -> Any:
        return (g,)


def _age(edges: list[Any], key: int) -> None:
    """Make nodes that were recorded just now as old as the one with this key, which they are
    behind: a backward pass takes nodes by age."""
    found: dict[int, Node] = {}
    waiting = list(edges)
    while waiting:
        e = waiting.pop()
        node = e.node if e.__class__ is OutSlot else e
        if isinstance(node, Node) and node.key < key and id(node) not in found:
            found[id(node)] = node
            waiting += node.parents
    for k, node in enumerate(sorted(found.values(), key=lambda n: n.key), 1):
        node.key = key + k / (len(found) + 1)  # pyright: ignore[reportAttributeAccessIssue]


class Settings:
    """What the user's own rules (`autograd.Function`) read when they run, besides what they are
    given. A plan has it from the call; eager code asks in the backward pass."""

    def __init__(self, rules: list[Any]) -> None:
        self._scan = walk(rules[0], (), rules[1:])
        places = [*self._scan.values, *self._scan.objects, *self._scan.tensor_paths]
        self._places = [p for p in places if p in self._scan.places]
        self.read = self._scan.reader(self._places)

    def check(self, then: tuple[Any, ...]) -> None:
        """Raise where something is not what it was when the function was called."""
        now = self.read()
        for place, a, b in zip(self._places, then, now, strict=True):
            if a is not b and not (isinstance(b, _NUMBERS) and self._scan.same(a, b)):
                raise RuntimeError(
                    f"the backward of an autograd.Function in a compiled function reads "
                    f"{self._scan.describe(place)}, which changed between the call and the "
                    f"backward pass ({a!r}, now {b!r}); the plan was made for what it was. Fix: "
                    "give it to apply() and keep it in ctx, or call the function without compile."
                )


class Repetition:
    """Some outputs of a program computed once more: nothing is written, and what was drawn or is
    overwritten since is given."""

    def __init__(self, graph: Graph, numbers: list[int], known: range) -> None:
        wanted = [graph.outputs[n] for n in numbers]
        given = {v: k for k, v in enumerate(graph.outputs[n] for n in known) if _is_value(v)}
        self._overwritten = [(k, given[v]) for k, v in enumerate(graph.inputs) if v in given]
        self._drawn = {v: k for v, k in given.items() if v not in graph.inputs}
        again = Graph()
        again.inputs = [*graph.inputs, *self._drawn]
        again.input_names = [*graph.input_names, *(f"drawn{k}" for k in self._drawn.values())]
        again.constants = dict(graph.constants)
        rest = [i for i in graph.instrs if not any(v in self._drawn for v in i.outputs)]
        again.instrs = leading_to(wanted, rest)
        again.outputs = wanted
        self._plan = Plan(again) if all(map(_is_pure, again.instrs)) else None

    def run(self, arrays: list[Any], kept: list[Any]) -> list[Any]:
        """The outputs, or nothing where they cannot be computed so."""
        if self._plan is None:
            return []
        given = list(arrays)
        for k, known in self._overwritten:
            given[k] = kept[known]
        return self._plan.run([*given, *(kept[k] for k in self._drawn.values())])


class DifferentiableRunner(Runner):
    """Runs the forward plan and leaves a node for the backward plan."""

    def _make_plan(self, program: Program) -> Plan:
        self.replay = Replay(program, _slots_of(program))
        self.entangled = self.replay.entangled()
        self._read_views = [a for a in _aliases_in(program.result) if self.replay.reads(a.value)]
        seeds = {i: s.what for i, s in enumerate(program.sources) if s.kind == "seed"}
        self.partition = Partition(program.graph, seeds, program.results)
        rules = program.second.rules
        self.settings = Settings(rules) if rules else None
        self.repetition: Repetition | None = None
        self.backward_plan: Plan | None = None
        self._partial_plans: dict[tuple[int, ...], tuple[Plan | None, list[bool], list[bool]]] = {}
        return Plan(self.partition.forward)

    def compute_gradients(self, values: list[Any], seeds: list[Any]) -> Any:
        """Gradients of the tensors that are differentiated by, as arrays of their own."""
        if not self._wanted:
            return ()
        given = [seeds[k] for k in self._seeds if seeds[k] is not None]
        if len(given) < len(self._seeds):
            return self._without_some(values, seeds, given)
        if self.backward_plan is None:
            self.backward_plan = Plan(self.partition.backward)
        return tuple(distinct(self.backward_plan.run([*values, *given])))

    def reads(self, k: int, seeds: list[Any]) -> bool:
        """Whether these gradients need the kth of the values that must not change."""
        return all(seeds[k] is not None for k in self._seeds) or self._partial(seeds)[2][k]

    def _without_some(self, values: list[Any], seeds: list[Any], given: list[Any]) -> Any:
        """The same where results got no gradient."""
        plan, there, _ = self._partial(seeds)
        found = iter(() if plan is None else distinct(plan.run([*values, *given])))
        return tuple(next(found) if is_there else None for is_there in there)

    def _partial(self, seeds: list[Any]) -> tuple[Plan | None, list[bool], list[bool]]:
        """The plan for those results that got a gradient, which gradients it finds, and which of
        the values that must not change it reads."""
        missing = tuple(i for i, k in enumerate(self._seeds) if seeds[k] is None)
        if missing not in self._partial_plans:
            whole = self.partition.backward
            first = len(whole.inputs) - len(self._seeds)
            graph, there = without(whole, [whole.inputs[first + i] for i in missing])
            read = {v for i in graph.instrs for v in i.values} | {*filter(_is_value, graph.outputs)}
            plan = Plan(graph) if graph.outputs else None
            counted = [whole.inputs[k] in read for k in self._counted]
            self._partial_plans[missing] = (plan, there, counted)
        return self._partial_plans[missing]

    def differentiate(self, saved: Any, g: list[Any]) -> list[Any]:
        """Gradients that can be differentiated."""
        _, _, _, leaves, arrays, kept = saved
        self._refuse_other_values(saved)
        wanted = [self._tensor(w, leaves) for w in self._wanted]
        return self.replay.gradients(leaves, arrays, kept, wanted, g)

    def inside(self, saved: Any) -> tuple[dict[int, Any], dict[Any, Any]]:
        """The results with the nodes of eager code, and what is on the way to them."""
        _, _, _, leaves, arrays, kept = saved
        self._refuse_other_values(saved)
        return self.replay.inside(leaves, arrays, kept)

    def _refuse_other_values(self, saved: Any) -> None:
        """Raise where the plan gives other values now than those it saved: something it read was
        written in a way that no counter of writes sees."""
        values, _, _, _, arrays, kept = saved
        numbers = [n for kind, n in self._kept if kind == "output"]
        if self.repetition is None:
            known = range(self._count, self._kept_end)
            self.repetition = Repetition(self.partition.forward, numbers, known)
        then = [v for (kind, _), v in zip(self._kept, values, strict=True) if kind == "output"]
        for now, before in zip(self.repetition.run(arrays, kept), then, strict=False):
            if not _alike(now, before):
                raise RuntimeError(
                    "what a compiled function read was changed through x.data or NumPy between "
                    "the call and a backward pass with create_graph=True, a hook on a result or a "
                    "gradient with respect to one, which computes with it again. Fix: write with "
                    "copy_(), or after the backward pass, or call the function without compile."
                )

    @staticmethod
    def _tensor(where: Any, leaves: list[Any]) -> Any:
        return leaves[where.what] if where.kind == "argument" else where.what

    def _result_code(self, program: Program, space: dict[str, Any]) -> str:
        partition = self.partition
        # Gradients of results come last among the inputs of the backward plan.
        order = sorted(range(len(partition.needs)), key=lambda i: partition.needs[i][0] == "seed")
        backward = partition.backward
        backward.inputs = [backward.inputs[i] for i in order]
        backward.input_names = [f"{partition.needs[i][0]}{partition.needs[i][1]}" for i in order]
        needs = [partition.needs[i] for i in order]
        shown = program.shown
        self._seeds = [number for kind, number in needs if kind == "seed"]
        self._kept = [need for need in needs if need[0] != "seed"]
        plain = [s for s in program.sources if s.kind != "seed"]
        inputs = [(k, plain[n]) for k, (kind, n) in enumerate(self._kept) if kind == "input"]
        versioned = [(k, s) for k, s in inputs if s.kind in ("argument", "tensor")]
        self._versioned = [s for _, s in versioned]
        results = [k for k, (kind, n) in enumerate(self._kept) if kind == "output" and n < shown]
        self._saved_results = [self._kept[k][1] for k in results]
        self._counted = [*(k for k, _ in versioned), *results]  # in the order of `_versions`
        self.keeps_nothing = program.second.keeps_nothing and not self._kept
        self._wanted = program.wanted
        self._slots = _slots_of(program)
        self.meta = tuple((t._a.shape, t._a.dtype) for t in program.second.opened)
        self._count, self._kept_end = shown, program.results
        space["finish"] = self._finish
        tensors = ", ".join(self._tensors_code(program, space))
        return f"finish([{tensors}], outputs, leaves, arrays)"

    def _finish(
        self, tensors: list[Any], outputs: list[Any], leaves: list[Any], arrays: list[Any]
    ) -> Any:
        parents = tuple(edge(self._tensor(w, leaves)) for w in self._wanted)
        node: Any = start(CompiledFunctionBackward(), parents, *source.user_position())
        node.meta = self.meta
        node.runner = self
        node.results, node.views = [], []
        if self.settings is not None:
            node.seen = self.settings.read()
        for position, slot in self._slots:
            tensors[position]._rg, tensors[position]._node = True, OutSlot(node, slot)
        if self.entangled:
            slots = [(nr, tensors[at]) for at, nr in self._slots if nr in self.entangled]
            node.results = [(nr, ref(t)) for nr, t in slots]
        values = [arrays[n] if kind == "input" else outputs[n] for kind, n in self._kept]
        versions = self._versions(tensors, leaves)
        kept = outputs[self._count : self._kept_end]
        node.s = (values, versions, self.replay.versions(leaves), leaves, arrays, kept)
        if isinstance(self.result, Output):
            return tensors[0]
        return self._build(self.result, tensors, leaves)

    def _build(self, shape: Any, tensors: list[Any], leaves: list[Any]) -> Any:
        found = super()._build(shape, tensors, leaves)
        if self._read_views and shape in self._read_views and found._rg:
            node = tensors[self._slots[0][0]]._node.node
            view: Any = start(CompiledViewBackward(), (edge(found),), *source.user_position())
            view.whole, view.value, view.shown, view.s = node, shape.value, ref(found), ()
            node.views.append(ref(view))
            found._node = view
        return found

    def _versions(self, tensors: list[Any], leaves: list[Any]) -> list[Any]:
        """What must not change until backward: saved inputs, and results that are saved."""
        found = []
        for s in self._versioned:
            t = leaves[s.what] if s.kind == "argument" else s.what
            if t._v is None:
                raise errors.inference_saved()
            found.append((t._v, t._v[0], t._a.shape))
        for n in self._saved_results:
            found.append((tensors[n]._v, tensors[n]._v[0], tensors[n]._a.shape))
        return found

    def explain(self) -> str:
        """Both plans; the backward one is compiled when it first runs."""
        saved = sum(
            _nbytes(self.partition.forward.outputs[n]) for k, n in self._kept if k == "output"
        )
        text = f"forward:\n{self.plan.explain()}\n{saved} bytes saved for backward\n\nbackward:\n"
        if self.backward_plan is None:
            return text + f"{self.partition.backward}\nnot compiled yet: no gradient was asked for"
        return text + self.backward_plan.explain()


# How far apart two runs of a plan may be, of an array's length (products add up in an order that
# may depend on where memory lies); halves have 0.1.
_ROUNDING = {"f4": 2e-3, "c8": 2e-3, "f8": 1e-6, "c16": 1e-6}


def _alike(now: Any, then: Any) -> bool:
    """Whether arrays are equal but for rounding."""
    if np.array_equal(now, then):
        return True
    if now.dtype.kind in "biu":
        return np.count_nonzero(now != then) <= now.size // 1000
    wide = np.complex128 if now.dtype.kind == "c" else np.float64
    a, b = now.astype(wide), then.astype(wide)
    finite = np.isfinite(b)
    if not np.array_equal(finite, np.isfinite(a)):
        return False
    a, b = a[finite], b[finite]
    return bool(np.linalg.norm(a - b) <= _ROUNDING.get(now.dtype.str[1:], 0.1) * np.linalg.norm(b))


def _is_pure(instr: Any) -> bool:
    """Whether an instruction may be run again, and nothing comes of it but its results."""
    known = instr.op in TABLE or lowering(instr.op).tag != ir.extern.tag
    return known and bool(instr.outputs) and not lookup(instr.op).random


def _is_value(x: Any) -> bool:
    return isinstance(x, Value)


def _nbytes(value: Any) -> int:
    return value.size * value.dtype.itemsize


def _slots_of(program: Program) -> list[tuple[int, int]]:
    """(position among the outputs, number of the gradient) of what gradients come back to."""
    found = [*_slots_in(program.result), *_slots_in(list(program.bases.values()))]
    return list(dict.fromkeys(found))


def _aliases_in(result: Any) -> list[Alias]:
    if isinstance(result, Alias):
        return [result] if result.differentiable and result.value is not None else []
    if isinstance(result, dict):
        result = list(result.values())
    parts = result if isinstance(result, tuple | list) else ()
    return [a for part in parts for a in _aliases_in(part)]


def _slots_in(result: Any) -> list[tuple[int, int]]:
    if isinstance(result, Output):
        return [] if result.slot is None else [(result.position, result.slot)]
    if isinstance(result, dict):
        result = list(result.values())
    return (
        [s for part in result for s in _slots_in(part)] if isinstance(result, tuple | list) else []
    )


def runner_of(program: Program) -> Runner:
    """The runner that a program needs."""
    return DifferentiableRunner(program) if program.second.seeds else Runner(program)


__all__ = ["DifferentiableRunner", "runner_of"]
