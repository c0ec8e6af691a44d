"""Pictures as SVG text, drawn without any library.

A `Picture` collects shapes; its colours are CSS classes, so that a page in dark mode shows it dark
and a picture on its own follows the reader's system. Every text is escaped.

Charts: `bar_chart`, `line_chart`, `waterfall`, `flame`. Graphs are laid out in `layout.py`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from .markup import escape
from .terminal import TIMES

FONT = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif"
MONO = "ui-monospace, 'SF Mono', Menlo, 'DejaVu Sans Mono', monospace"

LIGHT = {
    "ink": "#1b1f24", "dim": "#5b6470", "paper": "#ffffff", "panel": "#f5f7fa", "line": "#c9d1db",
    "blue": "#2563c9", "red": "#c4372b", "green": "#1d7f4e", "amber": "#b7791f",
    "violet": "#7a4fc4", "leaf": "#e7f1ff", "box": "#ffffff", "root": "#fff3d6",
}  # fmt: skip
DARK = {
    "ink": "#e8edf3", "dim": "#9aa6b4", "paper": "#14181d", "panel": "#1c2229", "line": "#3a4450",
    "blue": "#6ea8ff", "red": "#ff7b6e", "green": "#59c98f", "amber": "#e5b45a",
    "violet": "#b79aff", "leaf": "#172a43", "box": "#1c2229", "root": "#3a3018",
}  # fmt: skip


def style() -> str:
    """The CSS of a picture: variables for both modes, and the classes that use them."""
    light = "".join(f"--cr-{k}:{v};" for k, v in LIGHT.items())
    dark = "".join(f"--cr-{k}:{v};" for k, v in DARK.items())
    fills = "".join(
        f".cr .f-{k}{{fill:var(--cr-{k})}}.cr .s-{k}{{stroke:var(--cr-{k})}}" for k in LIGHT
    )
    return (
        f".cr{{{light}}}@media (prefers-color-scheme:dark){{.cr{{{dark}}}}}"
        f"[data-theme=light] .cr{{{light}}}[data-theme=dark] .cr{{{dark}}}"
        f".cr text{{font-family:{FONT};fill:var(--cr-ink)}}.cr text.mono{{font-family:{MONO}}}"
        f".cr text.dim{{fill:var(--cr-dim)}}{fills}"
        + "".join(f".cr text.t-{k}{{fill:var(--cr-{k})}}" for k in LIGHT)
    )


# Widths of characters in a sans-serif font, in units of its size; close enough to lay out boxes.
_NARROW, _WIDE = set("iljtfrI.,:;'|!()[]{} "), set("mwMW@%&—→")


def text_width(text: str, size: float = 12, mono: bool = False, bold: bool = False) -> float:
    """About how wide a text will be."""
    if mono:
        return len(text) * size * 0.605
    total = 0.0
    for c in text:
        if c in _NARROW:
            total += 0.37
        elif c in _WIDE:
            total += 0.98
        elif c.isupper():
            total += 0.73
        else:
            total += 0.62
    return total * size * (1.12 if bold else 1.0)


def shorten(text: str, width: float, size: float = 12, mono: bool = False) -> str:
    """The text cut to a width, with '…' where something is left out."""
    if text_width(text, size, mono) <= width:
        return text
    while text and text_width(text + "…", size, mono) > width:
        text = text[:-1]
    return text + "…"


class Picture:
    """Shapes on a canvas that grows with them."""

    def __init__(self, title: str = "") -> None:
        self.title = title
        self.parts: list[str] = []
        self.defs: dict[str, str] = {}
        self.width = 0.0
        self.height = 0.0

    def _reach(self, x: float, y: float) -> None:
        self.width, self.height = max(self.width, x), max(self.height, y)

    def raw(self, markup: str) -> None:
        """Markup of the caller's own; it must be escaped already."""
        self.parts.append(markup)

    def text(
        self, x: float, y: float, text: str, *, size: float = 12, anchor: str = "start",
        kind: str = "", bold: bool = False, mono: bool = False, tip: str = "",
    ) -> None:  # fmt: skip
        """A line of text; `kind` is '', 'dim' or a colour's name."""
        classes = " ".join(
            c
            for c in (
                "mono" if mono else "",
                "dim" if kind == "dim" else f"t-{kind}" if kind else "",
            )
            if c
        )
        weight = ' font-weight="600"' if bold else ""
        inner = (f"<title>{escape(tip)}</title>" if tip else "") + escape(text)
        self.parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:g}" text-anchor="{anchor}" '
            f'class="{classes}"{weight}>{inner}</text>'
        )
        width = text_width(text, size, mono, bold)
        self._reach(
            x + (width if anchor == "start" else width / 2 if anchor == "middle" else 0), y + 4
        )

    def box(
        self, x: float, y: float, width: float, height: float, *, fill: str = "box",
        stroke: str = "line", radius: float = 6, tip: str = "", colour: str = "", data: str = "",
    ) -> None:  # fmt: skip
        """A rectangle; `colour` overrides the fill with a literal CSS colour."""
        paint = f' style="fill:{escape(colour)}"' if colour else ""
        outline = f" s-{stroke}" if stroke else ""
        inner = f"<title>{escape(tip)}</title>" if tip else ""
        self.parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 0):.1f}" '
            f'height="{max(height, 0):.1f}" rx="{radius:g}" '
            f'class="f-{fill}{outline}"{paint}{data}>{inner}</rect>'
        )
        self._reach(x + width + 1, y + height + 1)

    def line(
        self, points: Sequence[tuple[float, float]], *, stroke: str = "line", width: float = 1.2,
        dashed: bool = False, tip: str = "",
    ) -> None:  # fmt: skip
        """A polyline."""
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        dash = ' stroke-dasharray="4 3"' if dashed else ""
        inner = f"<title>{escape(tip)}</title>" if tip else ""
        self.parts.append(
            f'<polyline points="{path}" fill="none" class="s-{stroke}" '
            f'stroke-width="{width:g}"{dash}>{inner}</polyline>'
        )
        for x, y in points:
            self._reach(x, y)

    def curve(
        self, x1: float, y1: float, x2: float, y2: float, *, stroke: str = "dim",
        width: float = 1.3, tip: str = "", arrow: bool = True, dashed: bool = False, data: str = "",
    ) -> None:  # fmt: skip
        """A smooth arrow from one point down (or up) to another."""
        self.defs[f"arrow-{stroke}"] = (
            f'<marker id="cr-arrow-{stroke}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
            f'markerHeight="7" orient="auto">'
            f'<path d="M0,0 L8,4 L0,8 z" class="f-{stroke}"/></marker>'
        )
        middle = (y1 + y2) / 2
        end = f' marker-end="url(#cr-arrow-{stroke})"' if arrow else ""
        dash = ' stroke-dasharray="4 3"' if dashed else ""
        inner = f"<title>{escape(tip)}</title>" if tip else ""
        self.parts.append(
            f'<path d="M{x1:.1f},{y1:.1f} C{x1:.1f},{middle:.1f} {x2:.1f},{middle:.1f} '
            f'{x2:.1f},{y2:.1f}" fill="none" class="s-{stroke}" '
            f'stroke-width="{width:g}"{end}{dash}{data}>{inner}</path>'
        )
        self._reach(max(x1, x2), max(y1, y2))

    def svg(self, *, background: bool = True, padding: float = 12) -> str:
        """The whole picture as one SVG element."""
        width, height = self.width + 2 * padding, self.height + 2 * padding
        defs = "".join(self.defs.values())
        title = f"<title>{escape(self.title)}</title>" if self.title else ""
        back = (
            f'<rect width="{width:.0f}" height="{height:.0f}" class="f-paper"/>'
            if background
            else ""
        )
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="cr" role="img" width="{width:.0f}" '
            f'height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}" '
            f'style="max-width:100%;height:auto">{title}<style>{style()}</style><defs>{defs}</defs>{back}'
            f'<g transform="translate({padding:g},{padding:g})">{"".join(self.parts)}</g></svg>'
        )


def heat(share: float, *, signed: bool = False) -> str:
    """A colour for a share in [0, 1] (or [-1, 1] when signed): text on it stays readable."""
    share = 0.0 if not math.isfinite(share) else max(-1.0, min(1.0, share))
    hue = 215 if signed and share < 0 else 18
    return f"hsla({hue},85%,52%,{0.08 + 0.62 * abs(share):.2f})"


def nice_ticks(low: float, high: float, count: int = 5) -> list[float]:
    """Round numbers that cover a range."""
    if not (math.isfinite(low) and math.isfinite(high)):
        return [0.0]
    if high <= low:
        high = low + (abs(low) or 1.0)
    raw = (high - low) / max(count, 1)
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(m * power for m in (1, 2, 2.5, 5, 10) if m * power >= raw * 0.999)
    first = math.floor(low / step + 1e-9)
    last = math.ceil(high / step - 1e-9)
    return [step * k for k in range(first, last + 1)]


def short_number(x: float, digits: int = 4) -> str:
    """12.5, 1.2e-07, -400,000: as short as it stays readable."""
    x = float(x)
    if x == 0 or not math.isfinite(x):
        return "0" if x == 0 else str(x)
    if 1e4 <= abs(x) < 1e9:
        text = f"{x:,.{max(0, digits - 1 - int(math.log10(abs(x))))}f}"
        return text
    return f"{x:.{digits}g}"


Row = tuple[str, float]


def bar_chart(rows: Sequence[Row], *, title: str = "", unit: str = "", width: float = 460) -> str:
    """Horizontal bars from a common zero; negative ones go left, in another colour."""
    p = Picture(title)
    top = _title(p, title)
    label = min(260.0, max([text_width(n) for n, _ in rows], default=0)) + 8
    low = min([0.0, *(v for _, v in rows if math.isfinite(v))])
    high = max([0.0, *(v for _, v in rows if math.isfinite(v))])
    left = 70.0 if low < 0 else 0.0
    scale = (width - left) / ((high - low) or 1.0)
    zero = label + left - low * scale
    for k, (name, value) in enumerate(rows):
        y = top + 26 * k
        p.text(label - 8, y + 15, shorten(name, 260), anchor="end", tip=name)
        size = value * scale if math.isfinite(value) else 0.0
        p.box(min(zero, zero + size), y + 3, abs(size), 17, radius=3, stroke="",
              fill="red" if value < 0 else "blue", tip=f"{name}: {value!r}")  # fmt: skip
        shown = short_number(value) + unit
        if value < 0:
            p.text(zero + size - 5, y + 16, shown, anchor="end", size=11, kind="dim")
        else:
            p.text(zero + size + 5, y + 16, shown, size=11, kind="dim")
    p.line([(zero, top), (zero, top + 26 * len(rows))])
    return p.svg()


def _title(p: Picture, title: str) -> float:
    if not title:
        return 0.0
    p.text(0, 14, title, size=14, bold=True)
    return 28.0


Series = tuple[str, Sequence[float], Sequence[float]]
PALETTE = ("blue", "red", "green", "amber", "violet", "dim")


def line_chart(
    series: Sequence[Series], *, title: str = "", x_label: str = "", y_label: str = "",
    width: float = 520, height: float = 260, log_y: bool = False,
    marks: Sequence[tuple[float, float, str]] = (),
) -> str:  # fmt: skip
    """Curves over common axes; `marks` are points with a label. Non-finite points break a curve."""
    p = Picture(title)
    top, left = _title(p, title) + 8, 64.0
    xs = [x for _, a, _ in series for x in a if math.isfinite(x)] or [0.0, 1.0]
    ys = [y for _, _, b in series for y in b if math.isfinite(y) and (not log_y or y > 0)] or [
        0.0,
        1.0,
    ]
    x_low, x_high = min(xs), max(xs)
    x_high = x_high if x_high > x_low else x_low + 1

    def flat(y: float) -> float:
        return math.log10(y) if log_y else y

    ticks = nice_ticks(flat(min(ys)), flat(max(ys)))
    y_low, y_high = ticks[0], ticks[-1] if len(ticks) > 1 else ticks[0] + 1

    def at(x: float, y: float) -> tuple[float, float]:
        return (
            left + (x - x_low) / (x_high - x_low) * width,
            top + height - (flat(y) - y_low) / (y_high - y_low) * height,
        )

    for t in ticks:
        y = top + height - (t - y_low) / (y_high - y_low) * height
        p.line([(left, y), (left + width, y)], width=0.6)
        p.text(
            left - 6,
            y + 4,
            (f"1e{t:g}" if t == int(t) else short_number(10**t, 2)) if log_y else short_number(t),
            anchor="end",
            size=11,
            kind="dim",
        )
    for t in nice_ticks(x_low, x_high, 6):
        if x_low <= t <= x_high:
            x = left + (t - x_low) / (x_high - x_low) * width
            p.text(x, top + height + 16, short_number(t), anchor="middle", size=11, kind="dim")
    for k, (name, a, b) in enumerate(series):
        _curve_of(p, [(x, y) for x, y in zip(a, b, strict=True)], at, PALETTE[k % 6], name, log_y)
        if len(series) > 1:
            y = top + 12 + 16 * k
            p.line(
                [(left + width + 12, y - 4), (left + width + 28, y - 4)],
                stroke=PALETTE[k % 6],
                width=2,
            )
            p.text(left + width + 33, y, name, size=11)
    for x, y, label in marks:
        cx, cy = at(x, y)
        p.raw(
            f'<circle cx="{cx:.1f}" cy="{cy:.1f}" r="4" class="f-amber">'
            f"<title>{escape(label)}</title></circle>"
        )
        p.text(cx + 7, cy - 6, label, size=11)
    if x_label:
        p.text(left + width / 2, top + height + 34, x_label, anchor="middle", size=12)
    if y_label:
        p.text(0, top - 2, y_label, size=11, kind="dim")
    return p.svg()


def _curve_of(p, points, at, colour, name, log_y) -> None:  # type: ignore[no-untyped-def]
    piece: list[tuple[float, float]] = []
    for x, y in [*points, (math.nan, math.nan)]:
        if math.isfinite(x) and math.isfinite(y) and (not log_y or y > 0):
            piece.append(at(x, y))
            continue
        if len(piece) > 1:
            p.line(piece, stroke=colour, width=2, tip=name)
        elif piece:
            p.raw(
                f'<circle cx="{piece[0][0]:.1f}" cy="{piece[0][1]:.1f}" r="2.5" '
                f'class="f-{colour}"/>'
            )
        piece = []


def waterfall(
    rows: Sequence[tuple[str, float, float]], *, title: str = "", width: float = 420
) -> str:
    """The running product of a chain: rows of (label, link, product so far), sizes on a log scale.

    A bar reaches from the size of the product before the link to that after it: to the right in
    red where the link amplifies, to the left in blue where it attenuates.
    """
    p = Picture(title)
    top = _title(p, title)
    label = min(300.0, max([text_width(n) for n, _, _ in rows], default=0)) + 8
    sizes = [math.log10(abs(v)) for _, _, v in rows if v and math.isfinite(v)]
    low, high = min([0.0, *sizes]), max([0.0, *sizes])
    scale = width / ((high - low) or 1.0)
    zero = label + 10 - low * scale
    previous = 0.0
    for k, (name, link, product) in enumerate(rows):
        y = top + 26 * k
        p.text(label - 4, y + 16, shorten(name, 300), anchor="end", tip=name)
        if not product or not math.isfinite(product):
            p.text(
                zero + 6,
                y + 16,
                f"{TIMES}{short_number(link)} = {short_number(product)}",
                size=11,
                kind="amber",
            )
            break
        now = math.log10(abs(product))
        a, b = sorted((previous, now))
        p.box(zero + a * scale, y + 4, max((b - a) * scale, 2), 16, radius=3, stroke="",
              fill="red" if now > previous else "blue",
              tip=f"{name}: {TIMES}{link!r} = {product!r}")  # fmt: skip
        shown = f"{TIMES}{short_number(link)} = {short_number(product)}"
        p.text(max(zero + b * scale, zero) + 6, y + 16, shown, size=11, kind="dim")
        previous = now
    p.line([(zero, top), (zero, top + 26 * len(rows))], dashed=True)
    return p.svg()


def flame(
    rows: Sequence[tuple[int, float, float, str, str]], *, title: str = "", width: float = 960
) -> str:
    """A flame chart: rows of (depth, start, length, label, tip), in any common unit."""
    p = Picture(title)
    top = _title(p, title)
    end = max([s + n for _, s, n, _, _ in rows], default=1.0) or 1.0
    begin = min([s for _, s, _, _, _ in rows], default=0.0)
    scale = width / ((end - begin) or 1.0)
    for depth, start, length, name, tip in rows:
        x, w = (start - begin) * scale, length * scale
        hue = sum(map(ord, name)) % 360
        p.box(x, top + 20 * depth, max(w, 0.4), 18, radius=2, stroke="paper",
              colour=f"hsla({hue},60%,60%,0.55)", tip=tip or name)  # fmt: skip
        if w > 24:
            p.text(x + 4, top + 20 * depth + 13, shorten(name, w - 8, 11), size=11, tip=tip or name)
    return p.svg()


__all__ = [
    "Picture", "bar_chart", "flame", "heat", "line_chart", "nice_ticks", "short_number", "shorten",
    "style", "text_width", "waterfall",
]  # fmt: skip
