"""The document of a run: its code, its ops in order, and its backward pass, as plain data.

Everything in it is read from the tape and from what the recorder saw; nothing is computed a second
time by another program. `README.md` describes the format.
"""

from __future__ import annotations

import linecache
import os
from bisect import bisect_left
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..explanation.formulas import formula, with_numbers
from ..explanation.paths import label_of
from ..memory.storages import PARAMETER, held_arrays
from ..reading import Tape, Vertex
from ..reading import modules as module_paths
from ..reading.source import Place, place_of
from ..utils.checkpoint_measure import memory_root
from .backward import backward_steps, leaf_memory
from .recording import Recorded, Recorder, Reference
from .values import number, summary

FORMAT, VERSION = "chainrule-studio", 1
MOST_LINES = 5000  # of one file that are shown
MOST_FILES = 8
MOST_WRITTEN_OUT = 2000  # ops whose formulas are written with numbers


class Builder:
    """Makes the document of one tensor; used once."""

    def __init__(self, tape: Tape, recorder: Recorder | None, calls: Any, inputs: Mapping) -> None:
        self.tape = tape
        self.recorder = recorder
        self.inputs = {id(t): name for name, t in inputs.items()}
        self.vertices = {v.key: v for v in tape.order}
        self.records = {} if recorder is None else {o.key: o for o in recorder.ops if o.key}
        module_paths.assign(tape, calls)
        self.calls = calls
        self.ids: dict[Reference, int] = {}
        self.files: list[str] = []
        self.kept = 0
        self._roots: set[int] = set()
        self._leaf_memory = leaf_memory(tape)
        watched = [] if recorder is None else [o for o in recorder.ops if o.key]
        self._sequence = sorted((-o.key, o.number) for o in watched if o.key)

    def document(self, title: str, seed: Any = None) -> dict[str, Any]:
        """The whole document."""
        used = self._reachable()
        leaves = [r for r in used if r[0] == "leaf"]
        ops = sorted((r for r in used if r[0] != "leaf"), key=self._when)
        for ref in [*leaves, *ops]:
            self.ids[ref] = len(self.ids)
        nodes = [self._leaf(r) for r in leaves] + [self._op(r) for r in ops]
        steps = backward_steps(self.tape, self._id_of, seed)
        files = [{"name": os.path.basename(f), "lines": _lines(f)} for f in self.files[:MOST_FILES]]
        root = self.ids[self._root()]
        return {
            "format": FORMAT, "version": VERSION, "title": title, "files": files, "nodes": nodes,
            "forward": [self.ids[r] for r in ops], "backward": steps,
            "output": {"node": root, "output": self.tape.root_nr}, "notes": self._notes(seed),
        }  # fmt: skip

    # ---- which ops belong to it ------------------------------------------------------------------

    def _reachable(self) -> list[Reference]:
        """Everything the result was computed from, whether or not gradients flow there."""
        seen: dict[Reference, None] = {}
        stack: list[Reference] = [self._root()]
        while stack:
            ref = stack.pop()
            if ref in seen:
                continue
            seen[ref] = None
            behind = [found for _, found, _ in self._operands(ref) if found is not None]
            stack += [self._plain(r) for r in reversed(behind)]
        return list(seen)

    def _root(self) -> Reference:
        """The result; a function may hand back what it was given."""
        return ("node" if self.tape.root.leaf is None else "leaf", self.tape.root.key, 0)

    def _plain(self, ref: Reference) -> Reference:
        """A reference to the op or leaf, whichever of its outputs is meant."""
        kind, which, _ = ref
        if kind == "op" and self.recorder is not None:
            key = self.recorder.ops[which].key
            if key is not None and key in self.vertices:
                return ("node", key, 0)
        return (kind, which, 0)

    def _operands(self, ref: Reference) -> list[tuple[int, Reference | None, Any]]:
        """(position, tensor or None, constant) of an op, in order."""
        kind, which, _ = ref
        if kind == "leaf":
            return []
        record = self._record(ref)
        found: dict[int, tuple[int, Reference | None, Any]] = {}
        if record is not None:
            found = {entry[0]: entry for entry in record.inputs}
        vertex = self.vertices.get(which) if kind == "node" else None
        for link in () if vertex is None else vertex.inputs:
            word = "leaf" if link.parent.leaf is not None else "node"
            found[link.position] = (link.position, (word, link.parent.key, link.nr), None)
        return [found[k] for k in sorted(found)]

    def _record(self, ref: Reference) -> Recorded | None:
        if ref[0] == "op" and self.recorder is not None:
            return self.recorder.ops[ref[1]]
        return self.records.get(ref[1]) if ref[0] == "node" else None

    def _when(self, ref: Reference) -> tuple[int, int]:
        """Order of running; what nobody watched lies between those recorded before and after it."""
        record = self._record(ref)
        if record is not None:
            return (record.number, 0)
        before = bisect_left(self._sequence, (-ref[1], 0))
        return (self._sequence[before - 1][1] if before else -1, -ref[1])

    def _id_of(self, v: Vertex) -> int:
        return self.ids["leaf" if v.leaf is not None else "node", v.key, 0]

    # ---- what is said about them -----------------------------------------------------------------

    def _leaf(self, ref: Reference) -> dict[str, Any]:
        key = ref[1]
        vertex = self.vertices.get(key)
        recorded = {} if self.recorder is None else self.recorder.leaves
        tensor = recorded[key] if vertex is None else vertex.leaf
        name = self.inputs.get(key) or self.tape.names.of_tensor(tensor)
        shape = list(tensor._a.shape)
        kind = "input" if key in self.inputs else "parameter" if tensor._rg else "constant"
        return {
            "id": self.ids[ref], "kind": kind, "op": "leaf", "name": name,
            "label": name or (f"{kind} {shape}" if shape else kind), "file": -1,
            "line": 0, "module": "", "tracked": vertex is not None, "inputs": [],
            "outputs": [summary(tensor._a)],
        }  # fmt: skip

    def _op(self, ref: Reference) -> dict[str, Any]:
        vertex = self.vertices.get(ref[1]) if ref[0] == "node" else None
        record = self._record(ref)
        if vertex is not None:
            place, name, label, op = vertex.place, vertex.title, label_of(vertex), vertex.op
        else:
            assert record is not None
            place = place_of(record.code, record.lasti)
            name, op = place.target, record.name.removeprefix("reduce_")
            label = name or place.expression or op
        made = {
            "id": self.ids[ref], "kind": "op", "op": op, "name": name, "label": label,
            "file": self._file(place), "line": place.line, "expression": place.expression,
            "module": "" if vertex is None else vertex.module, "tracked": vertex is not None,
            "inputs": self._inputs(ref, vertex), "outputs": self._outputs(vertex, record),
        }  # fmt: skip
        if record is not None:
            made["micros"] = round(record.seconds * 1e6, 1)
            if record.maps is not None:
                made["maps"] = record.maps
        if vertex is not None:
            made |= {"torch": vertex.torch_name, "saved": self._saved(vertex), "kept": self.kept}
            if made["id"] < MOST_WRITTEN_OUT:
                made["formula"] = formula(vertex)
                made["numbers"] = with_numbers(self.tape, vertex)
        return made

    def _inputs(self, ref: Reference, vertex: Vertex | None) -> list[dict[str, Any]]:
        op = None if vertex is None else vertex.node.op
        made = []
        for position, found, constant in self._operands(ref):
            named = op is not None and not op.variadic and position < len(op.inputs)
            name = op.input_name(position) if op is not None and named else f"{position}"
            entry: dict[str, Any] = {"name": name}
            if found is not None:
                entry |= {"from": self.ids[self._plain(found)], "output": found[2]}
            else:
                a = np.asarray(constant)
                entry["constant"] = number(a.reshape(-1)[0]) if a.size == 1 else list(a.shape)
            made.append(entry)
        return made

    def _outputs(self, vertex: Vertex | None, record: Recorded | None) -> list[dict[str, Any]]:
        if record is not None:
            return record.values
        assert vertex is not None
        many = len(vertex.node.meta) if vertex.node.multi else 1
        values = [self.tape.value(vertex, nr) for nr in range(many)]
        return [{} if value is None else summary(value) for value in values]

    def _saved(self, vertex: Vertex) -> list[dict[str, Any]]:
        """What a node keeps for backward; memory that is kept already costs nothing more."""
        made = []
        for name, array, kind in held_arrays(vertex.node):
            root = memory_root(array)
            again = id(root) in self._roots
            self._roots.add(id(root))
            free = kind == PARAMETER or id(root) in self._leaf_memory
            cost = 0 if again or free else int(root.nbytes)
            self.kept += cost
            made.append({
                "name": name, "shape": list(array.shape), "kind": kind, "bytes": cost,
                "again": again,
            })  # fmt: skip
        return made

    def _file(self, place: Place) -> int:
        if not place.line:
            return -1
        if place.file not in self.files:
            self.files.append(place.file)
        where = self.files.index(place.file)
        return where if where < MOST_FILES else -1

    def _notes(self, seed: Any) -> list[str]:
        notes = []
        if self.tape.changes_gradients():
            notes.append("Hooks are registered on this graph; the pass shown here runs without.")
        if self.recorder is not None and self.recorder.dropped:
            notes.append(f"{self.recorder.dropped:,} further ops ran unwatched.")
        if self.tape.tensor._a.size != 1:
            shape = list(self.tape.tensor._a.shape)
            weighed = seed is not None and (np.asarray(seed) != 1).any()
            begins = (
                "gradients begin with what backward() was given"
                if weighed
                else ("gradients are those of its sum")
            )
            notes.append(f"The result has shape {shape}: {begins}.")
        return notes


def _lines(file: str) -> list[str]:
    return [line.rstrip("\n") for line in linecache.getlines(file)[:MOST_LINES]]


__all__ = ["FORMAT", "VERSION", "Builder"]
