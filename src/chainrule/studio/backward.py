"""The backward pass node by node: what arrives, the local rule, the product, where it is added."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..explanation.flows import cosine, dot, norm
from ..explanation.formulas import derivative_formula, plugged
from ..explanation.paths import fraction, label_of
from ..memory.storages import PARAMETER, held_arrays
from ..reading import Link, Tape, Vertex, cotangents
from ..utils.checkpoint_measure import memory_root
from .values import number, summary

MOST_WRITTEN_OUT = 2000  # nodes whose rules are written as formulas
Slot = tuple[int, int]  # a vertex's key, and which of its outputs


def backward_steps(
    tape: Tape, id_of: Callable[[Vertex], int], seed: Any = None
) -> list[dict[str, Any]]:
    """One step per node in the engine's order; a leaf's follows the last gradient it gets."""
    tape.require_saved()
    return _Pass(tape, id_of).run(seed)


class _Pass:
    def __init__(self, tape: Tape, id_of: Callable[[Vertex], int]) -> None:
        self.tape = tape
        self.id_of = id_of
        self.steps: list[dict[str, Any]] = []
        self.sums: dict[Slot, Any] = {}
        self.parts: dict[Slot, list[tuple[Link, Any]]] = {}
        self.waiting = {v.key: len(v.uses) for v in tape.order}
        self.complete: list[Vertex] = []  # leaves whose last gradient the current node handed on
        self.current: int | None = None
        self.freeing = _last_users(tape)

    def run(self, seed: Any) -> list[dict[str, Any]]:
        root, value = self.tape.root, self.tape.tensor._a
        start = np.ones(value.shape, value.dtype) if seed is None else np.asarray(seed, value.dtype)
        self.sums[root.key, self.tape.root_nr] = start
        cotangents(self.tape, start, self._visit)
        self._finish_leaves()
        for v in self.tape.leaves:  # those that wait for a node which no gradient reached
            if (self.waiting[v.key] or v is root) and (v.key, 0) in self.sums:
                self._finish_leaf(v)
        return self.steps

    def _visit(self, link: Link, g_in: Any, g_out: Any) -> None:
        child = link.child
        if child.key != self.current:
            self._finish_leaves()
            self.current = child.key
            self.steps.append(self._arrival(child, g_in))
        self.steps[-1]["links"].append(self._link(link, g_out))
        self.waiting[link.parent.key] -= 1
        if link.parent.leaf is not None and not self.waiting[link.parent.key]:
            self.complete.append(link.parent)

    def _finish_leaves(self) -> None:
        for v in self.complete:
            self._finish_leaf(v)
        self.complete.clear()

    def _arrival(self, v: Vertex, g: Any) -> dict[str, Any]:
        slots = g if isinstance(g, list) else [g]
        merges = [m for nr in range(len(slots)) if (m := self._merge(v, nr)) is not None]
        return {
            "kind": "node", "node": self.id_of(v), "torch": v.torch_name,
            "arriving": [None if s is None else summary(s) for s in slots],
            "merges": merges, "links": [],
            "freed": [[name, nbytes] for name, nbytes in self.freeing.get(v.key, ())],
        }  # fmt: skip

    def _link(self, link: Link, g_out: Any) -> dict[str, Any]:
        made: dict[str, Any] = {
            "to": self.id_of(link.parent), "output": link.nr, "input": link.input_name,
            "of": fraction(label_of(link.child), label_of(link.parent)),
        }  # fmt: skip
        if len(self.steps) <= MOST_WRITTEN_OUT:
            made |= self._written_out(link)
        if g_out is None:
            return made
        slot = (link.parent.key, link.nr)
        before = self.sums.get(slot)
        self.sums[slot] = g_out if before is None else before + g_out
        self.parts.setdefault(slot, []).append((link, g_out))
        made["product"] = summary(g_out)
        if before is not None:
            made["before"] = summary(before)
        made["sum"] = summary(self.sums[slot])
        made["part"] = len(self.parts[slot])
        return made

    def _written_out(self, link: Link) -> dict[str, Any]:
        """The rule as a formula, with the numbers, and its value where all are single numbers."""
        made: dict[str, Any] = {}
        text = derivative_formula(link)
        if text:
            made["formula"] = text
            numbers = plugged(self.tape, text, [link.child, *(k.parent for k in link.child.inputs)])
            if numbers.replace(" ", "") != text.replace(" ", ""):
                made["numbers"] = numbers
        if self._is_number(link.child) and self._is_number(link.parent):
            made["derivative"] = number(link.derivative())
        return made

    def _is_number(self, v: Vertex) -> bool:
        if v.node is not None and v.node.multi:
            return False
        value = self.tape.value(v)
        return value is not None and value.size == 1 and value.dtype.kind == "f"

    def _merge(self, v: Vertex, nr: int) -> dict[str, Any] | None:
        """The shares of several gradients that meet in one value; None where one arrives."""
        parts = self.parts.get((v.key, nr), [])
        if len(parts) < 2:
            return None
        total = self.sums[v.key, nr]
        size = norm(total)
        rows = []
        for link, g in parts:
            share = dot(g, total) / size**2 if size else None
            rows.append({
                "from": self.id_of(link.child), "norm": number(norm(g)),
                "share": None if share is None else number(share),
                "cosine": number(cosine(g, total)), "value": summary(g),
            })  # fmt: skip
        together = sum(norm(g) for _, g in parts)
        return {
            "output": nr, "parts": rows, "norm": number(size),
            "alignment": number(size / together if together else 1.0),
        }  # fmt: skip

    def _finish_leaf(self, v: Vertex) -> None:
        merge = self._merge(v, 0)
        found = self.sums.get((v.key, 0))
        self.steps.append({
            "kind": "leaf", "node": self.id_of(v), "torch": v.torch_name,
            "gradient": None if found is None else summary(found),
            "merges": [] if merge is None else [merge],
        })  # fmt: skip


def leaf_memory(tape: Tape) -> set[int]:
    """The memory of leaves, which the program keeps whatever the tape does."""
    return {id(memory_root(v.leaf._a)) for v in tape.leaves}


def _last_users(tape: Tape) -> dict[int, list[tuple[str, int]]]:
    """Per node what is let go after its rules ran: memory that no later node needs."""
    last: dict[int, tuple[int, str, int]] = {}
    stays = leaf_memory(tape)
    for v in tape.nodes:  # latest first: as backward goes
        for name, array, kind in held_arrays(v.node):
            root = memory_root(array)
            if kind != PARAMETER and id(root) not in stays:
                last[id(root)] = (v.key, name, int(root.nbytes))
    made: dict[int, list[tuple[str, int]]] = {}
    for key, name, nbytes in last.values():
        made.setdefault(key, []).append((name, nbytes))
    return made


__all__ = ["backward_steps", "leaf_memory"]
