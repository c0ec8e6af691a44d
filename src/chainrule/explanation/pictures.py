"""An explanation as a picture, a page, and a cell of a notebook."""

from __future__ import annotations

from typing import Any

from ..reading import svg
from ..reading.html import fragment, page, table
from ..reading.markup import escape
from ..reading.terminal import TIMES, Table, Text
from ..serialization.files import write_text
from .diagram import diagram, draw
from .flows import norm
from .paths import fraction

LONGEST_WATERFALL, SHORT_WATERFALL = 40, 12


def explanation_svg(e: Any) -> str:
    """The part of the graph between output and input; arrows carry derivatives or gains."""
    keys = {v.key for v in e.between.order} | {e.between.target.key}
    d = diagram(e.tape, None, within=keys)
    weights = e._weights if e._weights is not None else e._flow.gains
    where = {v.key: k for k, b in enumerate(d.boxes) for v in b.members}
    top = _links_of_top_path(e)
    labels: dict[tuple[int, int], list[Any]] = {}
    for v in e.between.order:
        for link in e.between.inputs(v):
            pair = where[link.parent.key], where[v.key]
            labels.setdefault(pair, []).append(link)
    for arrow in d.arrows:
        links = labels.get((arrow.start, arrow.end), [])
        if len(links) == 1:
            arrow.label = TIMES + svg.short_number(weights[id(links[0])])
        elif e.kind == "tensor" and links:
            arrow.label = "norm " + svg.short_number(norm([e._flow.sizes[id(k)] for k in links]))
        arrow.strong = any(id(link) in top for link in links)
        arrow.details = "; ".join(
            f"{link.child.op} by {link.input_name}: {weights[id(link)]!r}" for link in links[:6]
        )
    word = "derivatives" if e.kind == "scalar" else "gains of the gradient"
    return draw(d, caption=f"d {e.y_name} / d {e.x_name}: {word} along the links").svg()


def _links_of_top_path(e: Any) -> set[int]:
    from .semirings import strongest

    weights = e._weights if e._weights is not None else e._flow.gains
    found = strongest(e.between, weights, 1)
    return {id(link) for link in found[0]} if found else set()


def chain_rows(e: Any) -> list[tuple[str, float, float]]:
    """(label, link, running product): the chain, or the strongest path where there is none."""
    if len(e.chain) > 1 or not e.paths:
        rows = [(fraction(s.result, s.by), s.multiplier, s.product) for s in e.chain]
    else:
        rows = [(f"{k.result} <- {k.by}", k.derivative, k.product) for k in e.paths[0].links]
    if len(rows) > LONGEST_WATERFALL:
        half = LONGEST_WATERFALL // 2
        between = f"... {len(rows) - 2 * half} links ..."
        before, after = rows[half - 1][2], rows[-half][2] / (rows[-half][1] or 1.0)
        middle = (between, after / before if before else 0.0, after)
        rows = [*rows[:half], middle, *rows[-half:]]
    return rows


def waterfall_svg(e: Any) -> str:
    """The running product of the chain."""
    rows, title = chain_rows(e), "the running product, output first"
    if len(rows) > SHORT_WATERFALL:
        rows, title = [r for r in rows if abs(r[1]) != 1], f"{title} (without links of 1)"
    return svg.waterfall(rows, title=title)


def explanation_fragment(e: Any) -> str:
    """For notebooks."""
    return fragment(_body(e, "h3"))


def explanation_page(e: Any) -> str:
    """The whole page."""
    return page(f"d {e.y_name} / d {e.x_name}", _body(e, "h1"))


def _body(e: Any, heading: str) -> str:
    parts = []
    for n, block in enumerate(e.blocks()):
        if isinstance(block, Text):
            lines = [escape(line.strip()) for line in block.lines]
            if n == 0:
                parts.append(f"<{heading}>{lines[0]}</{heading}>")
                lines = lines[1:]
            parts += [f"<p>{line}</p>" for line in lines]
            if n == 0:
                pictures = [explanation_svg(e)]
                pictures += [waterfall_svg(e)] if len(chain_rows(e)) > 1 else []
                framed = "".join(f'<div class="frame">{picture}</div>' for picture in pictures)
                parts.append(f'<div class="row">{framed}</div>')
        elif isinstance(block, Table):
            parts.append(f"<h2>{escape(block.title)}</h2>")
            parts.append(table(block.head, block.rows, code=(0, len(block.head) - 1)))
            parts += [f'<p class="dim">{escape(note)}</p>' for note in block.notes]
    return "".join(parts)


def waterfall(e: Any, ax: Any = None) -> Any:
    """The running product as a matplotlib bar chart on a logarithmic axis."""
    import math

    try:
        import matplotlib.pyplot as plt  # pyright: ignore[reportMissingImports]
    except ImportError:
        raise ImportError(
            "waterfall() draws with matplotlib, which is not installed. Fix: pip install "
            "matplotlib, or use to_svg() and to_html(), which need nothing."
        ) from None
    rows = chain_rows(e)
    ax = plt.gca() if ax is None else ax
    previous = abs(e._one) if e.kind == "scalar" else norm(e.seed)
    for k, (_, link, product) in enumerate(rows):
        now = abs(product)
        if not (now > 0 and math.isfinite(now) and previous > 0):
            ax.text(1.0, k, f" = {product:.4g}", va="center")
            continue
        low, high = sorted((previous, now))
        colour = "#c4372b" if now > previous else "#2563c9"
        ax.barh(k, high - low, left=low, color=colour, height=0.6)
        ax.text(high, k, f"  {TIMES}{link:.4g} = {product:.4g}", va="center", fontsize=8)
        previous = now
    ax.set_xscale("log")
    low, high = ax.get_xlim()
    ax.set_xlim(low, high * (high / low) ** 0.25)  # room for the figures beside the bars
    ax.set_yticks(range(len(rows)), [name for name, _, _ in rows])
    ax.invert_yaxis()
    ax.set_xlabel("|running product|" if e.kind == "scalar" else "norm of the gradient")
    ax.set_title(f"d {e.y_name} / d {e.x_name}")
    return ax


def written(text: str, path: Any) -> str:
    """The text, also written to a file where a path is given."""
    if path is not None:
        write_text(path, text)
    return text


__all__ = [
    "chain_rows", "explanation_fragment", "explanation_page", "explanation_svg", "waterfall",
    "waterfall_svg", "written",
]  # fmt: skip
