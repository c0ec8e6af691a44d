"""Reports about saved memory: grouped by op, line and module, as text, HTML and JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from ..ops.allocation import in_units
from ..reading import html
from ..reading.markup import escape
from ..reading.svg import bar_chart
from ..reading.terminal import Block, Report, Table
from .storages import ACTIVATION, CONSTANT, PARAMETER, Saved

_KEYS: dict[str, Callable[[Saved], str]] = {
    "op": lambda e: e.op,
    "line": lambda e: e.line,
    "module": lambda e: e.module or "(no module)",
    "kind": lambda e: e.kind,
}
ROWS = 12  # of a table that names everything; the rest is summed up in one


class SavedReport(Report):
    """Memory kept for backward: `entries`, their sums, and groups of them."""

    title = "kept for backward"

    def __init__(self, entries: Sequence[Saved]) -> None:
        self.entries = list(entries)

    def _sum(self, *kinds: str) -> int:
        return sum(e.bytes for e in self.entries if e.kind in kinds)

    @property
    def total(self) -> int:
        """Bytes of all entries, parameters included."""
        return sum(e.bytes for e in self.entries)

    @property
    def activations(self) -> int:
        """Bytes that exist for this graph alone: all but the parameters."""
        return self._sum(ACTIVATION, CONSTANT)

    @property
    def parameters(self) -> int:
        """Bytes of parameters and other leaves, which the graph refers to but does not own."""
        return self._sum(PARAMETER)

    def by(self, what: str) -> dict[str, int]:
        """Bytes without parameters by "op", "line", "module" or "kind", the largest first."""
        if what not in _KEYS:
            raise ValueError(f"by({what!r}): expected one of {', '.join(map(repr, _KEYS))}")
        found: dict[str, int] = {}
        for e in self.entries:
            if e.kind != PARAMETER or what == "kind":
                key = _KEYS[what](e)
                found[key] = found.get(key, 0) + e.bytes
        return dict(sorted(found.items(), key=lambda pair: -pair[1]))

    # ---- as text, HTML, JSON ---------------------------------------------------------------------

    def head(self) -> str:
        """The sentence above the tables."""
        text = f"{self.title}: {in_units(self.activations)} of activations"
        return f"{text}, and {in_units(self.parameters)} of parameters" if self.parameters else text

    def tables(self) -> list[Table]:
        """The largest entries, and what each line and module keeps."""
        shown = sorted((e for e in self.entries if e.kind != PARAMETER), key=lambda e: -e.bytes)
        rows = [
            (in_units(e.bytes), e.op, str(list(e.shape)), str(e.dtype).removeprefix("torch."),
             e.module or "-", e.place.label)
            for e in shown[:ROWS]
        ]  # fmt: skip
        notes = []
        if len(shown) > ROWS:
            rest = sum(e.bytes for e in shown[ROWS:])
            notes.append(f"and {len(shown) - ROWS} more with {in_units(rest)}")
        return [
            Table(self.head(), ("bytes", "op", "shape", "dtype", "module", "line"), rows, notes)
        ]

    def groups(self) -> list[Table]:
        """Sums by op, line and module, where there are several."""
        made = []
        for what in ("op", "line", "module"):
            sums = self.by(what)
            if len(sums) > 1:
                rows = [
                    (name, in_units(n), f"{n / max(self.activations, 1):.0%}")
                    for name, n in list(sums.items())[:ROWS]
                ]
                made.append(Table(f"by {what}", (what, "bytes", "share"), rows))
        return made

    def blocks(self) -> list[Block]:
        return [*self.tables(), *self.groups()]

    def pictures(self) -> list[str]:
        """SVG pictures of the report."""
        sums = list(self.by("module").items())[:ROWS]
        bars = [(name, n / 2**20) for name, n in sums]
        return [bar_chart(bars, title=f"{self.title}, by module", unit=" MiB")] if bars else []

    def to_svg(self) -> str:
        """The main picture."""
        pictures = self.pictures()
        return pictures[0] if pictures else bar_chart([], title=self.title)

    def _body(self) -> str:
        parts = list(self.pictures())
        for t in (*self.tables(), *self.groups()):
            code = [k for k, name in enumerate(t.head) if name == "line"]
            parts.append(f"<h3>{escape(t.title)}</h3>" + html.table(t.head, t.rows, code=code))
            parts += [f'<p class="dim">{escape(n)}</p>' for n in t.notes]
        return "".join(parts)

    def to_html(self) -> str:
        """One page that needs nothing else."""
        return html.page(self.title, self._body())

    def _repr_html_(self) -> str:
        return html.fragment(self._body())

    def facts(self) -> dict[str, Any]:
        """The figures as plain data."""
        return {
            "activations": self.activations,
            "parameters": self.parameters,
            "entries": [
                {
                    "op": e.op, "name": e.name, "file": e.place.file, "line": e.place.line,
                    "module": e.module, "shape": list(e.shape), "dtype": str(e.dtype),
                    "bytes": e.bytes, "kind": e.kind, "nodes": e.nodes,
                }
                for e in self.entries
            ],
        }  # fmt: skip

    def to_json(self) -> str:
        """The figures as JSON."""
        return json.dumps(self.facts())
