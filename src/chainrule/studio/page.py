"""A recorded run as one HTML file: the document, the page's program and its style; no network."""

from __future__ import annotations

import base64
import hashlib
import json
from functools import cache
from importlib.resources import files
from typing import Any

from ..explanation.layout import lay_out
from ..reading.markup import escape

MOST_BOXES = 400  # a graph with more is not drawn
BOX_HEIGHT, LAYER_GAP = 54.0, 26.0  # a box has three lines: name, value, gradient


def page(document: dict[str, Any]) -> str:
    """The whole file."""
    rules = f"default-src 'none'; script-src {allowed('page.js')}; style-src 'unsafe-inline'"
    policy = f'<meta http-equiv="Content-Security-Policy" content="{rules}">'
    shown = {**document, "places": places(document)}
    return _html(document["title"], shown, "page.js", policy)


def live_page(start: dict[str, Any]) -> str:
    """The page of the server, which sends its policy itself."""
    return _html("chainrule studio", start, "studio.js", "")


def allowed(program: str) -> str:
    """What a page's policy lets run: this one program, and nothing that got into the page."""
    digest = hashlib.sha256(_static(program).encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


@cache
def _static(name: str) -> str:
    return (files("chainrule.studio") / "static" / name).read_text(encoding="utf-8")


def _html(title: str, data: dict[str, Any], program: str, head: str) -> str:
    style, script = _static("page.css"), _static(program)
    # Nothing in the document can end the element that it stands in.
    text = json.dumps(data, allow_nan=False).replace("<", "\\u003c")
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8">{head}'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{style}</style></head>"
        f'<body><div id="studio"></div><script type="application/json" id="document">{text}'
        f"</script><script>{script}</script></body></html>\n"
    )


def frame(document: dict[str, Any]) -> str:
    """The page inside a notebook's cell, apart from the rest of the notebook."""
    inside = escape(page(document), quote=True)
    return (
        f'<iframe title="{escape(document["title"], quote=True)}" srcdoc="{inside}" '
        'sandbox="allow-scripts" style="width:100%;height:640px;border:0"></iframe>'
    )


def places(document: dict[str, Any]) -> dict[str, Any] | None:
    """Where the boxes and the bends of the arrows lie; None where there are too many."""
    nodes = document["nodes"]
    if len(nodes) > MOST_BOXES:
        return None
    sizes = [(max(108.0, 8.0 * _longest_line(n) + 16), BOX_HEIGHT) for n in nodes]
    links = [(i["from"], n["id"]) for n in nodes for i in n["inputs"] if "from" in i]
    made = lay_out(sizes, links, LAYER_GAP)
    boxes = [[p.x - p.width / 2, p.y, p.width, p.height] for p in made.boxes]
    lines = []
    for (a, b), bends in zip(links, made.bends, strict=True):
        start, end = made.boxes[a], made.boxes[b]
        points = [(start.x, start.y + start.height), *bends, (end.x, end.y)]
        lines.append([round(c, 1) for point in points for c in point])
    return {"width": made.width, "height": made.height, "boxes": boxes, "links": lines}


def _longest_line(node: dict[str, Any]) -> int:
    """Letters of the widest line in a box: its name, which is cut, or the shape of its value."""
    shape = node["outputs"][0].get("shape") if node["outputs"] else None
    return max(min(26, len(node["label"])), len(str(shape or "")))


__all__ = ["allowed", "frame", "live_page", "page", "places"]
