"""The graph as boxes and arrows: every node, or parts of it folded by line, module or layer.

Folding keeps the picture free of cycles: a group is cut where the program left it and came back, so
each box is a run of consecutive steps. A run in the middle of too many is folded into one box that
says so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from ..reading import Cotangents, Tape, Vertex
from ..reading.svg import Picture, heat, shorten, text_width
from .formulas import formula, shown_array, shown_value, with_numbers
from .groups import OUTSIDE, by_layer, by_line, by_module
from .layout import lay_out
from .paths import label_of

MOST_BOXES = 60  # a picture with more is no longer read
WIDEST = 230.0


@dataclass(slots=True)
class Box:
    """One box: a value, an op, or a folded part."""

    title: str
    under: str
    kind: str  # "leaf", "op", "root" or "group"
    members: list[Vertex]
    details: list[tuple[str, str]] = field(default_factory=list)  # shown on hover
    heat: float = 0.0


@dataclass(slots=True)
class Arrow:
    """From an input to what was computed from it."""

    start: int
    end: int
    label: str = ""
    strong: bool = False
    details: str = ""


@dataclass(slots=True)
class Diagram:
    """Boxes and arrows, ready to be drawn or written in another notation."""

    title: str
    boxes: list[Box]
    arrows: list[Arrow]
    folded: str = ""  # how parts were folded, "" where every node is shown


def diagram(
    tape: Tape, grads: Cotangents | None, fold: str = "auto", within: set[int] | None = None
) -> Diagram:
    """The graph (or the part of it whose keys are `within`) as boxes.

    fold: "none", "line", "module", "layer", or "auto": none if it is small enough.
    """
    order = [v for v in tape.order if within is None or v.key in within]
    chosen = _choose(order) if fold == "auto" else fold
    if chosen == "none":
        return _boxes(tape, grads, [[v] for v in order], "", lambda v: label_of(v))
    name_of = {"line": by_line, "module": by_module, "layer": by_layer(tape)}[chosen]
    runs = _middle_folded(_runs(order, name_of))
    return _boxes(tape, grads, runs, chosen, name_of)


def _choose(order: list[Vertex]) -> str:
    nodes = [v for v in order if v.node is not None]
    if len(order) <= MOST_BOXES:
        return "none"
    if any(v.module for v in nodes):
        return "module" if len(_runs(order, by_module)) <= MOST_BOXES // 2 else "layer"
    return "line"


def _runs(order: list[Vertex], name_of: Callable[[Vertex], str]) -> list[list[Vertex]]:
    """Consecutive nodes of one group; leaves go where they are first used, inputs stay alone."""
    runs: list[list[Vertex]] = []
    home: dict[int, int] = {}
    last = None
    for v in order:
        if v.node is None:
            continue
        name = name_of(v)
        if name != last or not runs:
            runs.append([])
            last = name
        runs[-1].append(v)
        home[v.key] = len(runs) - 1
    for v in order:
        if v.node is not None:
            continue
        users = {home[link.child.key] for link in v.uses if link.child.key in home}
        parameter = "." in v.title or type(v.leaf).__name__ == "Parameter"
        if parameter and len(users) == 1:
            runs[users.pop()].append(v)
        else:
            runs.append([v])
    return runs


def _middle_folded(runs: list[list[Vertex]]) -> list[list[Vertex]]:
    steps = [r for r in runs if any(v.node is not None for v in r)]
    leaves = [r for r in runs if all(v.node is None for v in r)]
    if len(steps) > MOST_BOXES:
        half = MOST_BOXES // 3
        middle = [v for r in steps[half:-half] for v in r]
        steps = [*steps[:half], middle, *steps[-half:]]
    if len(leaves) > MOST_BOXES:
        leaves = [*leaves[: MOST_BOXES // 2], [v for r in leaves[MOST_BOXES // 2 :] for v in r]]
    return steps + leaves


def _boxes(
    tape: Tape, grads: Cotangents | None, runs: list[list[Vertex]], folded: str,
    name_of: Callable[[Vertex], str],
) -> Diagram:  # fmt: skip
    where = {v.key: k for k, run in enumerate(runs) for v in run}
    boxes = [_box(tape, grads, run, name_of) for run in runs]
    counted: dict[tuple[int, int], int] = {}
    for run in runs:
        for v in run:
            for link in v.inputs:
                a, b = where.get(link.parent.key), where[v.key]
                if a is not None and a != b:
                    counted[a, b] = counted.get((a, b), 0) + 1
    arrows = [Arrow(a, b, "" if n == 1 else f"{n} links") for (a, b), n in sorted(counted.items())]
    return Diagram(tape.root.title or label_of(tape.root), boxes, arrows, folded)


def _box(
    tape: Tape, grads: Cotangents | None, run: list[Vertex], name_of: Callable[[Vertex], str]
) -> Box:
    nodes = [v for v in run if v.node is not None]
    if len(run) == 1:
        return single_box(tape, grads, run[0])
    if not nodes:
        return Box(f"{len(run)} more leaves", "", "leaf", run)
    names = list(dict.fromkeys(name_of(v) for v in nodes))
    kind = "root" if tape.root in nodes else "group"
    ops = list(dict.fromkeys(v.op for v in reversed(nodes)))
    shown = ", ".join(ops[:4]) + (f" and {len(ops) - 4} more" if len(ops) > 4 else "")
    if kind == "root" and names[0] == OUTSIDE:
        names = [label_of(tape.root)]
    title = names[0] if len(names) == 1 else f"... {len(nodes)} steps of {len(names)} kinds ..."
    details = [("ops", shown), ("nodes", str(len(nodes)))]
    leaves = [v.title for v in run if v.node is None and v.title]
    if leaves:
        details.append(("parameters", ", ".join(leaves[:6]) + (" ..." if len(leaves) > 6 else "")))
    details += [("lines", "; ".join(list(dict.fromkeys(v.place.label for v in nodes))[:3]))]
    count = "" if len(nodes) == 1 else f"{len(nodes)} nodes: "
    return Box(title, f"{count}{shown}", kind, run, details)


def single_box(tape: Tape, grads: Cotangents | None, v: Vertex) -> Box:
    """The box of one vertex, with what hovering tells."""
    value = shown_value(tape, v)
    kind = "leaf" if v.leaf is not None else "root" if v is tape.root else "op"
    op = "" if kind == "leaf" or label_of(v) == v.op else v.op
    under = " ".join(p for p in (op, _beside(value)) if p)
    details = [("op", f"{v.op} ({v.torch_name})")] if v.node is not None else []
    text, numbers = formula(v), with_numbers(tape, v)
    if text:
        details.append(("formula", text))
    if numbers and numbers != text:
        single = value and "[" not in value
        details.append(("with numbers", f"{numbers} = {value}" if single else numbers))
    if value:
        details.append(("value", value))
    g = None if grads is None else grads.of(v)
    if g is not None:
        details.append(("gradient", shown_array(g)))
    if v.module:
        details.append(("module", v.module))
    if v.place.line:
        details.append(("line", v.place.label))
    return Box(label_of(v), under, kind, [v], details)


def _beside(value: str) -> str:
    """What a box says of its value: the number, or just the shape."""
    if value.startswith("["):
        return value.split("]")[0] + "]"
    return f"= {value}" if value else ""


# ---- drawing -------------------------------------------------------------------------------------


def draw(d: Diagram, *, caption: str = "") -> Picture:
    """The diagram as a picture."""
    p = Picture(d.title)
    top = 0.0
    if caption:
        p.text(0, 13, caption, size=13, bold=True)
        top = 26.0
    sizes = [_size(b) for b in d.boxes]
    laid = lay_out(sizes, [(a.start, a.end) for a in d.arrows])
    entering = Counter(arrow.end for arrow in d.arrows)
    for arrow, bends in zip(d.arrows, laid.bends, strict=True):
        _draw_arrow(p, arrow, laid, bends, top, entering[arrow.end] > 1)
    for k, (box, place) in enumerate(zip(d.boxes, laid.boxes, strict=True)):
        x, y = place.x - place.width / 2, place.y + top
        fill = {"leaf": "leaf", "root": "root"}.get(
            box.kind, "panel" if box.kind == "group" else "box"
        )
        tip = "\n".join(f"{name}: {text}" for name, text in box.details)
        colour = heat(box.heat) if box.heat else ""
        p.raw(f'<g class="box" data-k="{k}">')
        p.box(x, y, place.width, place.height, fill=fill, tip=tip)
        if colour:
            p.box(x, y, place.width, place.height, stroke="", colour=colour, tip=tip)
        inner = place.width - 14
        p.text(place.x, y + 17, shorten(box.title, inner, 12, mono=True), anchor="middle",
               mono=True, tip=tip)  # fmt: skip
        if box.under:
            p.text(place.x, y + 33, shorten(box.under, inner, 11), size=11, anchor="middle",
                   kind="dim", tip=tip)  # fmt: skip
        p.raw("</g>")
    return p


def _size(box: Box) -> tuple[float, float]:
    width = max(text_width(box.title, 12, mono=True), text_width(box.under, 11)) + 20
    return min(max(width, 56.0), WIDEST), 42.0 if box.under else 26.0


def _draw_arrow(p: Picture, arrow: Arrow, laid: Any, bends: Any, top: float, meets: bool) -> None:
    a, b = laid.boxes[arrow.start], laid.boxes[arrow.end]
    stroke = "red" if arrow.strong else "dim"
    width = 2.2 if arrow.strong else 1.2
    points = [(a.x, a.y + a.height), *bends, (b.x, b.y - 1)]
    for n, ((x1, y1), (x2, y2)) in enumerate(pairwise(points)):
        last = n == len(points) - 2
        p.curve(x1, y1 + top, x2, y2 + top, stroke=stroke, width=width, arrow=last,
                tip=arrow.details)  # fmt: skip
    if arrow.label:
        (x1, y1), (x2, y2) = points[-2:]
        # Beside the curve, on the side where no other one runs: those that meet lie inside.
        left = (x1 < x2 - 4) if meets else (x2 < x1 - 4)
        p.text((x1 + x2) / 2 + (-8 if left else 6), (y1 + y2) / 2 + top + 4, arrow.label, size=11,
               anchor="end" if left else "start", kind="red" if arrow.strong else "dim",
               tip=arrow.details)  # fmt: skip


__all__ = ["Arrow", "Box", "Diagram", "diagram", "draw", "single_box"]
