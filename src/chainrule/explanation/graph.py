"""`graph(y)`: the computation graph as text, SVG, an interactive page, Mermaid or DOT."""

from __future__ import annotations

import re
from typing import Any

from ..autograd.accidents import explain_module
from ..autograd.printable import printable
from ..reading import Names, Tape, cotangents
from ..reading import modules as module_paths
from ..reading.markup import escape
from ..reading.svg import shorten
from ..reading.terminal import Block, Report, Text, Tree
from .diagram import Diagram, diagram, draw
from .paths import label_of

FOLDS = ("auto", "none", "line", "module", "layer")
LONGEST_TREE = 200  # lines of the text tree


class Graph(Report):
    """The graph behind a tensor. `print(g)`, `g.to_svg()`, `g.to_html("graph.html")`, ..."""

    def __init__(self, tape: Tape, fold: str) -> None:
        self.tape = tape
        self.fold = fold
        self.gradients: Any = None
        self.note = ""
        if tape.first_freed() is not None:
            self.note = "backward() has used this graph up: saved values and gradients are gone."
        elif tape.tensor._a.dtype.kind in "fc":
            try:
                self.gradients = cotangents(tape)
            except RuntimeError as problem:  # a graph can be shown though it cannot be walked
                self.note = f"gradients are not shown: {str(problem).splitlines()[0]}"

    @property
    def diagram(self) -> Diagram:
        """Boxes and arrows, folded as asked for."""
        return diagram(self.tape, self.gradients, self.fold)

    def blocks(self) -> list[Block]:
        d = self.diagram
        nodes = len(self.tape.nodes)
        head = f"{label_of(self.tape.root)}: {nodes:,} nodes, {len(self.tape.leaves):,} leaves"
        if d.folded:
            head += f", folded by {d.folded}"
        return [Text([head, *([self.note] if self.note else [])]), _tree(d)]

    def to_svg(self) -> str:
        """The picture."""
        return draw(self.diagram).svg()

    def to_html(self, path: Any = None) -> str:
        """A page to pan, zoom, unfold and hover over; one file, written to `path` if given."""
        from .graph_page import graph_page
        from .pictures import written

        return written(graph_page(self), path)

    def to_mermaid(self) -> str:
        """Mermaid's notation, for Markdown files."""
        d = self.diagram
        shapes = {"leaf": ("([", "])"), "group": ("[[", "]]"), "root": ("{{", "}}")}
        lines = ["graph TD"]
        for k, b in enumerate(d.boxes):
            left, right = shapes.get(b.kind, ("[", "]"))
            lines.append(f'  n{k}{left}"{_mermaid(_short(b.title, b.under))}"{right}')
        lines += [
            f"  n{a.start} -->" + (f'|"{_mermaid(a.label)}"|' if a.label else "") + f" n{a.end}"
            for a in d.arrows
        ]
        return "\n".join(lines) + "\n"

    def to_dot(self) -> str:
        """Graphviz's notation."""
        d = self.diagram
        lines = ["digraph {", '  node [shape=box, fontname="sans-serif", style=rounded];']
        for k, b in enumerate(d.boxes):
            lines.append(f"  n{k} [label={_dot(_short(b.title, b.under))}];")
        for a in d.arrows:
            label = f" [label={_dot(a.label)}]" if a.label else ""
            lines.append(f"  n{a.start} -> n{a.end}{label};")
        return "\n".join([*lines, "}"]) + "\n"

    def _repr_html_(self) -> str:
        from ..reading.html import fragment

        note = f'<p class="dim">{escape(self.note)}</p>' if self.note else ""
        return fragment(note + self.to_svg())


def graph(y: Any, *, fold: str = "auto", module: Any = None, modules: Any = None) -> Graph:
    """The computation graph behind a tensor.

    `fold` says what becomes one box: "none", "line", "module", "layer"; "auto" folds by module (or
    line) where the graph is too large to read. `module` is the model whose parameters are to be
    named, `modules` what `reading.track_modules` recorded.

    >>> import chainrule as torch
    >>> x = torch.tensor(2.0, requires_grad=True)
    >>> w = torch.tensor(3.0, requires_grad=True)
    >>> y = (x * w).sin()
    >>> print(torch.graph(y))
    y: 2 nodes, 2 leaves
    <BLANKLINE>
    y  sin = -0.279415
    └── x * w  mul = 6
        ├── x  = 2
        └── w  = 3
    """
    if fold not in FOLDS:
        raise ValueError(f"fold must be one of {', '.join(map(repr, FOLDS))}, got {fold!r}")
    tape = Tape.of(y).name(Names.here(module))
    known = module_paths.assign(tape, modules)
    if fold in ("module", "layer") and not known:
        raise ValueError(
            f"fold={fold!r} needs modules, and none is known here. Fix: pass module=model, or the "
            "record of reading.track_modules(model) as modules=."
        )
    return Graph(tape, fold)


def _tree(d: Diagram) -> Tree:
    """The boxes as a tree from the output; what was shown before is only named."""
    inputs: dict[int, list[int]] = {}
    for a in d.arrows:
        inputs.setdefault(a.end, []).append(a.start)
    root = next((k for k, b in enumerate(d.boxes) if b.kind == "root"), 0)
    if not d.boxes[root].under and d.boxes[root].kind != "root" and len(d.boxes) > 1:
        root = 0
    made = Tree(_short(d.boxes[root].title, d.boxes[root].under))
    seen, lines = {root}, 1
    stack = [(made, root)]
    while stack:
        tree, k = stack.pop()
        for n in inputs.get(k, ()):
            text = _short(d.boxes[n].title, d.boxes[n].under)
            if n in seen and inputs.get(n):
                tree.children.append(Tree(f"{shorten(d.boxes[n].title, 300)}  (above)"))
                continue
            if lines >= LONGEST_TREE:
                tree.children.append(Tree("..."))
                break
            lines += 1
            seen.add(n)
            child = Tree(text)
            tree.children.append(child)
            stack.append((child, n))
    return made


def _short(title: str, under: str) -> str:
    return f"{title}  {under}" if under else title


def _mermaid(text: str) -> str:
    return re.sub(r"[\"<>&#\n]", lambda m: f"#{ord(m.group())};", printable(text))


def _dot(text: str) -> str:
    quoted = printable(text).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{quoted}"'


explain_module(globals())

__all__ = ["Graph", "graph"]
