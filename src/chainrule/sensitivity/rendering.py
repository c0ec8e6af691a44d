"""How results are shown beyond text: SVG, HTML, JSON, a notebook's cell, matplotlib."""

from __future__ import annotations

import json
import math
import os
from typing import Any

from ..reading import html, svg
from ..reading.terminal import Block, Table, Text, Tree, tree_lines
from ..serialization.files import write_text
from .links import Path


def plain_number(x: float) -> str:
    """As short as it stays exact to six digits: 152,000, 0.0435, -3,992.5."""
    x = float(x)
    if math.isnan(x):
        return "-"
    if x == 0 or not math.isfinite(x):
        return f"{x:g}"
    if 1e-4 <= abs(x) < 1e12:
        digits = max(2, 5 - math.floor(math.log10(abs(x))))  # cents are kept
        text = f"{x:,.{digits}f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    return f"{x:.6g}"


class Drawn:
    """The forms that every result has, from its blocks, `to_dict` and `to_svg`."""

    def blocks(self) -> list[Block]:
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        raise NotImplementedError

    def to_svg(self) -> str:
        raise NotImplementedError

    def to_json(self, *, indent: int | None = 2) -> str:
        """Strict JSON: what is no finite number is null."""
        return json.dumps(_finite(self.to_dict()), indent=indent, allow_nan=False)

    def _body(self) -> str:
        return self.to_svg() + "".join(map(_markup, self.blocks()))

    def _repr_html_(self) -> str:
        return html.fragment(self._body())

    def to_html(self, path: Any = None) -> str:
        """One self-contained page; written to `path` where one is given."""
        text = html.page(type(self).__name__, self._body())
        if path is not None:
            write_text(path, text)
        return text

    def plot(self, path: Any = None) -> Any:
        """The picture by matplotlib, saved where a path is given; returns the figure."""
        figure = self._figure()
        if path is not None:
            figure.savefig(os.fspath(path), dpi=150)
        return figure

    def _figure(self) -> Any:
        raise NotImplementedError


def new_figure(height: float = 3.6, panels: int = 1) -> tuple[Any, Any]:
    """A figure that belongs to no window."""
    try:
        import importlib

        figures = importlib.import_module("matplotlib.figure")
    except ImportError:
        raise ImportError(
            "plots are drawn by matplotlib, which is not installed. Fix: pip install matplotlib, "
            "or use to_svg() or to_html(), which need nothing"
        ) from None
    figure = figures.Figure(figsize=(7, height), layout="constrained")
    return figure, figure.subplots(panels, 1, sharex=panels > 1)


def _finite(data: Any) -> Any:
    if isinstance(data, dict):
        return {k: _finite(v) for k, v in data.items()}
    if isinstance(data, list | tuple):
        return [_finite(v) for v in data]
    if isinstance(data, float) and not math.isfinite(data):
        return None
    return data


def _markup(block: Block) -> str:
    from ..reading.markup import escape

    if isinstance(block, Text):
        return "".join(f"<p>{escape(line)}</p>" for line in block.lines)
    if isinstance(block, Tree):
        return f"<pre>{escape(chr(10).join(tree_lines(block)))}</pre>"
    assert isinstance(block, Table)
    title = f"<h2>{escape(block.title)}</h2>" if block.title else ""
    # Bars of signs are for terminals: a page has its picture.
    kept = [
        k
        for k in range(len(block.head))
        if block.head[k] or any(r[k].strip("#") for r in block.rows)
    ]
    rows = [[_arrows(row[k]) for k in kept] for row in block.rows]
    body = html.table([block.head[k] for k in kept], rows) if rows else ""
    notes = "".join(f'<p class="dim">{escape(_arrows(n))}</p>' for n in block.notes)
    return title + body + notes


def _arrows(text: str) -> str:
    return text.replace(" -> ", " \N{RIGHTWARDS ARROW} ").replace("<- ", "\N{LEFTWARDS ARROW} ")


def chain_svg(path: Path, output: str, below: str = "") -> str:
    """Boxes with values, the multiplier on every arrow; the biggest one in red."""
    steps = path.steps
    picture = svg.Picture(f"how {output} answers to {steps[0].name}" if steps else output)
    if not steps:
        picture.text(0, 14, f"{output} does not answer to its inputs", size=13)
        return picture.svg()
    biggest = path.biggest_link
    shown = [(s.name, plain_number(s.value), s.code) for s in steps]
    wide = max(
        max(svg.text_width(n, 13), svg.text_width(v, 13), svg.text_width(c, 11, mono=True))
        for n, v, c in shown
    )
    width = min(max(wide, 90.0), 340.0) + 24
    y = 0.0
    for k, (name, value, code) in enumerate(shown):
        tall = 62.0 if code else 46.0
        fill = "leaf" if k == 0 else "root" if k == len(shown) - 1 else "box"
        picture.box(0, y, width, tall, fill=fill, tip=steps[k].where)
        picture.text(12, y + 19, svg.shorten(name, width - 24, 13), size=13, bold=True, tip=name)
        picture.text(12, y + 37, value, size=13)
        if code:
            short = svg.shorten(code, width - 24, 11, mono=True)
            picture.text(12, y + 54, short, size=11, kind="dim", mono=True, tip=code)
        y += tall
        if k < len(path):
            link = path[k]
            colour = "red" if link is biggest and len(path) > 1 else "dim"
            picture.curve(width / 2, y, width / 2, y + 38, stroke=colour)
            text = f"\N{MULTIPLICATION SIGN} {plain_number(link.multiplier)}"
            mark = "  biggest" if colour == "red" else ""
            picture.text(
                width / 2 + 12, y + 17, text + mark, size=13, bold=True,
                kind="red" if mark else "",
            )  # fmt: skip
            picture.text(
                width / 2 + 12, y + 32, f"product {plain_number(link.running)}", size=11, kind="dim"
            )
            y += 40
    if below:
        picture.text(0, y + 20, below, size=11, kind="dim")
    return picture.svg()


def chain_figure(path: Path, title: str) -> Any:
    """The multipliers of a chain as bars of their sizes, on a log scale."""
    figure, axes = new_figure(1.2 + 0.45 * max(len(path), 1))
    names = [link.name for link in path]
    sizes = [abs(link.multiplier) for link in path]
    colours = ["tab:red" if link is path.biggest_link else "tab:blue" for link in path]
    bars = axes.barh(range(len(path)), sizes, color=colours)
    axes.bar_label(bars, [plain_number(link.multiplier) for link in path], padding=3)
    if all(s > 0 for s in sizes) and sizes:
        axes.set_xscale("log")
    axes.set_yticks(range(len(path)), names)
    axes.invert_yaxis()
    axes.margins(x=0.2)
    axes.set_title(title)
    axes.set_xlabel("size of the multiplier")
    return figure
