"""A captured program run again, op by op on tensors: gradients of gradients of compiled functions.

The backward plan computes numbers.  Who wants to differentiate them (`create_graph=True`) or maps
over them gets the gradients of the function's ops as they were traced: no line of the user's code
runs again, so that it has no effects, and random ops draw what they drew.
"""

from __future__ import annotations

from typing import Any

from ...autograd.backward import grad
from ...autograd.dispatch import P, plain
from ...autograd.modes import enable_grad, set_grad_enabled
from ...autograd.value import TensorBase, make
from ...ops.schema import TABLE
from ..graph.op_table import lookup
from ..graph.program import Instr, Value
from .traced_call import apart


class Replay:
    """The part of a program's graph that leads to its differentiable results."""

    def __init__(self, program: Any, slots: list[tuple[int, int]]) -> None:
        graph = program.graph
        ordered = sorted(slots, key=lambda pair: pair[1])
        trace = program.second.trace
        self.histories = trace.histories
        self.wrote_silently = trace.wrote_silently
        outputs = {slot: graph.outputs[at] for at, slot in ordered}
        self.slots, self.outputs = list(outputs), list(outputs.values())
        self.has_own_rules = bool(program.second.rules)
        self.kept = graph.outputs[program.shown : program.results]
        self.constants = dict(graph.constants)
        self.instrs = leading_to(self.outputs, graph.instrs)
        read = {v for instr in self.instrs for v in instr.values} | set(self.outputs)
        sources = zip(graph.inputs, program.sources, strict=True)
        given = [(v, s) for v, s in sources if s.kind != "seed"]
        self.positions = {v: k for k, (v, _) in enumerate(given)}
        kept = set(self.kept)
        self.inputs = [(v, s) for v, s in given if v in read and v not in kept]
        self.overwritten = [s for v, s in given if v in kept]
        self.tensors = [s.what for _, s in self.inputs if s.kind == "tensor"]
        self.arguments = [s.what for _, s in self.inputs if s.kind == "argument"]

    def versions(self, leaves: list[Any]) -> list[tuple[Any, int, Any]]:
        """Counters of writes into what the program reads."""
        tensors = [*self.tensors, *(leaves[i] for i in self.arguments)]
        return [(t._v, t._v[0], t._a.shape) for t in tensors if t._v is not None]

    def gradients(
        self, leaves: list[Any], arrays: list[Any], kept: list[Any], wanted: list[Any], g: Any
    ) -> list[Any]:
        """Gradients of the results with a history of their own."""
        self._refuse_own_rules()
        if self.wrote_silently:
            raise RuntimeError(
                "create_graph=True through a compiled function that writes, under no_grad or "
                "through x.detach(), into a tensor with a history: its gradients cannot be "
                "differentiated. Fix: call the function without compile, or write into a copy."
            )
        for t in wanted:
            if not t._rg:
                raise RuntimeError(
                    f"requires_grad of a tensor of shape {list(t.shape)} that a compiled function "
                    "read was set to False between the call and a backward pass with "
                    "create_graph=True, which computes with it again. Fix: set it after the "
                    "backward pass, or call the function without compile."
                )
        env = self._env(leaves, arrays, kept)
        pairs = zip([env[v] for v in self.outputs], self.slots, strict=True)
        given = [(out, g[nr]) for out, nr in pairs if g[nr] is not None]
        with apart(wanted):
            return grad(  # pyright: ignore[reportReturnType]
                [out for out, _ in given], wanted, [seed for _, seed in given], create_graph=True,
                allow_unused=True,
            )  # fmt: skip

    def entangled(self) -> frozenset[int]:
        """The results that others of them were computed from, by the numbers of their gradients."""
        found = set()
        for nr, v in zip(self.slots, self.outputs, strict=True):
            others = [o for o in self.outputs if o is not v]
            if any(v in instr.values for instr in leading_to(others, self.instrs)):
                found.add(nr)
        return frozenset(found)

    def reads(self, value: Any) -> bool:
        """Whether differentiable results were computed from this value, one of an op."""
        made = any(value in instr.outputs for instr in self.instrs)
        return made and any(value in instr.values for instr in self.instrs)

    def _refuse_own_rules(self) -> None:
        if self.has_own_rules:
            raise RuntimeError(
                "create_graph=True, batches of gradients, a hook on a result or a gradient with "
                "respect to one, through a compiled function that uses an autograd.Function: its "
                "own backward is known to the plan only. Fix: call the function without compile."
            )

    def inside(
        self, leaves: list[Any], arrays: list[Any], kept: list[Any]
    ) -> tuple[dict[int, Any], dict[Value, Any]]:
        """The differentiable results once more, each with the history it has in eager code, by
        the numbers of their gradients; and all values on the way to them."""
        self._refuse_own_rules()
        if self.wrote_silently or not all(_is_constant(s, leaves) for s in self.overwritten):
            raise RuntimeError(
                "a result of a compiled function is differentiated by, or has a hook, and other "
                "results were computed from it; the function also writes into what it reads, so "
                "that the way between them is gone. Fix: call the function without compile, or "
                "write into a copy."
            )
        env = self._env(leaves, arrays, kept)
        return dict(zip(self.slots, (env[v] for v in self.outputs), strict=True)), env

    def _env(self, leaves: list[Any], arrays: list[Any], kept: list[Any]) -> dict[Value, Any]:
        env: dict[Value, Any] = {v: make(a) for v, a in self.constants.items()}
        for v, s in self.inputs:
            if s.kind in ("argument", "tensor"):
                env[v] = leaves[s.what] if s.kind == "argument" else s.what
                _refuse_other_memory(env[v], arrays[self.positions[v]])
            else:  # as it was
                env[v] = arrays[self.positions[v]] if v.weak else make(arrays[self.positions[v]])
        drawn = dict(zip(self.kept, kept, strict=True))
        env.update((v, make(a)) for v, a in drawn.items())
        with enable_grad():
            for instr in self.instrs:
                history = self.histories.get(instr.outputs[0])
                env.update(zip(instr.outputs, _run(instr, env, drawn, history), strict=True))
        return env


def _refuse_other_memory(t: Any, then: Any) -> None:
    if t._a is not then:
        raise RuntimeError(
            f"a tensor of shape {list(t.shape)} that a compiled function read got other memory "
            "(x.data = ..., t_()) between the call and a backward pass with create_graph=True, "
            "which computes with it again. Fix: write into it (copy_), or call the function "
            "without compile."
        )


def _is_constant(source: Any, leaves: list[Any]) -> bool:
    """Whether no gradients go to an input: what it held before it was written is enough."""
    if source.kind not in ("argument", "tensor"):
        return False
    return not (leaves[source.what] if source.kind == "argument" else source.what)._rg


def kept_for(graph: Any, outputs: list[Any]) -> list[Value]:
    """What these outputs need and nobody has later: what was drawn, and what is overwritten."""
    found = leading_to(outputs, graph.instrs)
    draws = [v for instr in found if lookup(instr.op).random for v in instr.outputs]
    read = {v for instr in found for v in instr.values}
    return draws + [graph.inputs[k] for _, k in graph.writes if graph.inputs[k] in read]


def leading_to(outputs: list[Any], instrs: list[Instr]) -> list[Instr]:
    """What the outputs need."""
    live = {v for v in outputs if isinstance(v, Value)}
    found = []
    for instr in reversed(instrs):
        if any(v in live for v in instr.outputs):
            live.update(instr.values)
            found.append(Instr(instr.op, instr.inputs, instr.params, instr.outputs))
    return found[::-1]


def _run(
    instr: Instr, env: dict[Value, Any], drawn: dict[Value, Any], history: Any
) -> tuple[Any, ...]:
    """The results of an instruction, with a history where they had one in the traced call."""
    followed, recorded = history or ((True,) * len(instr.inputs), True)
    operands = tuple(
        x if not isinstance(x, Value) else env[x] if has_one else _detached(env[x])
        for x, has_one in zip(instr.inputs, followed, strict=True)
    )
    if lookup(instr.op).random:
        (out,) = instr.outputs
        if not operands:
            return (make(drawn[out]),)
        return (plain(TABLE[instr.op], operands, instr.params, known=drawn[out]),)
    with set_grad_enabled(recorded):
        result = getattr(P, instr.op)(*operands, **instr.params)
    return tuple(result) if isinstance(result, tuple | list) else (result,)


def _detached(value: Any) -> Any:
    return value.detach() if isinstance(value, TensorBase) else value
