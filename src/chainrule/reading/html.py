"""One self-contained HTML page: no files, no network, dark where the reader's system is dark."""

from __future__ import annotations

from collections.abc import Sequence

from .markup import escape
from .svg import FONT, MONO, style

_PAGE = """
:root{color-scheme:light dark}
body{margin:0;padding:24px 28px;font:15px/1.5 %(font)s;
background:var(--cr-paper);color:var(--cr-ink)}
h1{font-size:22px;margin:0 0 4px}h2{font-size:16px;margin:26px 0 8px}
p{margin:6px 0;max-width:76ch}p.dim,.dim{color:var(--cr-dim)}
table{border-collapse:collapse;margin:8px 0}
th{text-align:left;font-weight:600;color:var(--cr-dim);border-bottom:1px solid var(--cr-line)}
th,td{padding:3px 14px 3px 0;vertical-align:top}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}
tbody tr:hover{background:var(--cr-panel)}
code,pre{font-family:%(mono)s;font-size:13px}
pre{background:var(--cr-panel);padding:10px 14px;overflow:auto}
.note{border-left:3px solid var(--cr-amber);padding:2px 12px;background:var(--cr-panel)}
.row{display:flex;flex-wrap:wrap;gap:16px;align-items:flex-start;margin:12px 0}
.frame{border:1px solid var(--cr-line);border-radius:8px;overflow:auto;padding:6px}
"""


def css() -> str:
    """The style of pages and of fragments in notebooks, under the class `cr`."""
    return style() + (_PAGE % {"font": FONT, "mono": MONO})


def page(title: str, body: str, *, script: str = "") -> str:
    """A whole page around a body of markup that is escaped already."""
    run = f"<script>{script}</script>" if script else ""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{css()}</style></head>"
        f'<body class="cr">{body}{run}</body></html>'
    )


def fragment(body: str) -> str:
    """Markup for a notebook's cell; nothing of it touches the rest of the notebook."""
    rules = (
        f".cr-out{{font:14px/1.45 {FONT};color:var(--cr-ink)}}"
        ".cr-out table{border-collapse:collapse;margin:6px 0}"
        ".cr-out th,.cr-out td{padding:2px 12px 2px 0;text-align:left;background:none;border:none}"
        ".cr-out th{color:var(--cr-dim);border-bottom:1px solid var(--cr-line)}"
        ".cr-out td.n,.cr-out th.n{text-align:right}"
        ".cr-out h3{font-size:16px;margin:6px 0}.cr-out h2{font-size:14px;margin:12px 0 4px}"
        ".cr-out .row{display:flex;flex-wrap:wrap;gap:14px}"
        f".cr-out code{{font-family:{MONO};font-size:12px}}.cr-out .dim{{color:var(--cr-dim)}}"
    )
    return f'<div class="cr cr-out"><style>{style()}{rules}</style>{body}</div>'


def table(head: Sequence[str], rows: Sequence[Sequence[str]], *, code: Sequence[int] = ()) -> str:
    """A table; columns of numbers stand to the right, those in `code` are set as code."""
    from .terminal import is_number

    right = [bool(rows) and all(is_number(r[k]) for r in rows) for k in range(len(head))]
    marks = [' class="n"' if r else "" for r in right]
    top = "".join(f"<th{m}>{escape(h)}</th>" for h, m in zip(head, marks, strict=True))
    lines = []
    for r in rows:
        cells = [
            f"<code>{escape(c)}</code>" if k in code and c else escape(c) for k, c in enumerate(r)
        ]
        lines.append(
            "<tr>"
            + "".join(f"<td{m}>{c}</td>" for c, m in zip(cells, marks, strict=True))
            + "</tr>"
        )
    return f"<table><thead><tr>{top}</tr></thead><tbody>{''.join(lines)}</tbody></table>"


__all__ = ["css", "fragment", "page", "table"]
