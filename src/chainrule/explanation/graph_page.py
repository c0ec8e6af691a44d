"""The interactive page of a graph: pan, zoom, fold, hover. One file, no network, no library."""

from __future__ import annotations

import json
from typing import Any

from ..reading.html import page
from ..reading.markup import escape
from .diagram import MOST_BOXES, Diagram, diagram, draw

LARGEST_UNFOLDED = 400  # nodes; a larger graph is unfolded part by part only
MOST_PARTS = 80

_STYLE = """
<style>
body{padding:0;display:flex;flex-direction:column;height:100vh;overflow:hidden}
header{padding:12px 20px;border-bottom:1px solid var(--cr-line)}
header h1{font-size:18px;display:inline;margin-right:18px}
button{font:13px system-ui,sans-serif;padding:3px 10px;margin-right:4px;
border-radius:6px;
cursor:pointer;border:1px solid var(--cr-line);background:var(--cr-panel);color:var(--cr-ink)}
button.on{background:var(--cr-blue);color:var(--cr-paper)}
#stage{flex:1;overflow:hidden;cursor:grab;position:relative}
#stage svg{position:absolute;transform-origin:0 0;max-width:none!important}
#tip{position:fixed;display:none;max-width:480px;background:var(--cr-panel);color:var(--cr-ink);
border:1px solid var(--cr-line);border-radius:8px;padding:8px 12px;font-size:13px;
pointer-events:none;box-shadow:0 4px 18px rgba(0,0,0,.25);z-index:9}
#tip td{padding:1px 10px 1px 0}#tip td:first-child{color:var(--cr-dim);white-space:nowrap}
.box{cursor:pointer}.box:hover rect{stroke-width:2.5}
</style>
"""

_SCRIPT = """
const views = JSON.parse(document.getElementById('views').textContent);
const stage = document.getElementById('stage'), tip = document.getElementById('tip');
let scale = 1, left = 20, top_ = 20, current = null, past = [];
function place() {
  const s = stage.querySelector('svg');
  s.style.transform = `translate(${left}px,${top_}px) scale(${scale})`;
}
function show(name, remember) {
  if (remember && current !== null) past.push(current);
  current = name;
  stage.innerHTML = document.getElementById('view-' + views[name].id).innerHTML;
  const s = stage.querySelector('svg');
  scale = Math.min(1.5, (stage.clientWidth - 40) / s.width.baseVal.value,
                   (stage.clientHeight - 40) / s.height.baseVal.value);
  scale = Math.max(scale, 0.8);
  left = Math.max(20, (stage.clientWidth - s.width.baseVal.value * scale) / 2); top_ = 20;
  place();
  document.querySelectorAll('button[data-view]').forEach(
    b => b.classList.toggle('on', b.dataset.view === name));
  document.getElementById('back').style.display = past.length ? '' : 'none';
  s.querySelectorAll('title').forEach(t => t.remove());
  s.querySelectorAll('.box').forEach(g => {
    const box = views[name].boxes[+g.dataset.k];
    g.onmousemove = e => {
      tip.replaceChildren();
      const head = document.createElement('b'); head.textContent = box.title; tip.append(head);
      const table = document.createElement('table'); tip.append(table);
      for (const [a, b] of box.details) {
        const row = table.insertRow();
        row.insertCell().textContent = a; row.insertCell().textContent = b;
      }
      if (box.part) {
        const n = document.createElement('i'); n.textContent = 'click to unfold'; tip.append(n);
      }
      tip.style.display = 'block';
      tip.style.left = Math.min(e.clientX + 14, innerWidth - tip.offsetWidth - 8) + 'px';
      tip.style.top = Math.min(e.clientY + 14, innerHeight - tip.offsetHeight - 8) + 'px';
    };
    g.onmouseleave = () => { tip.style.display = 'none'; };
    g.onclick = () => {
      if (box.part && !moved) { tip.style.display = 'none'; show(box.part, true); }
    };
  });
}
let drag = null, moved = false;
stage.onmousedown = e => { drag = [e.clientX - left, e.clientY - top_]; moved = false; };
onmousemove = e => {
  if (!drag) return;
  left = e.clientX - drag[0]; top_ = e.clientY - drag[1]; moved = true; place();
};
onmouseup = () => { drag = null; setTimeout(() => { moved = false; }, 0); };
stage.addEventListener('wheel', e => {
  e.preventDefault();
  const factor = Math.exp(-e.deltaY / 500), r = stage.getBoundingClientRect();
  const x = e.clientX - r.left, y = e.clientY - r.top;
  left = x - (x - left) * factor; top_ = y - (y - top_) * factor; scale *= factor; place();
}, {passive: false});
document.querySelectorAll('button[data-view]').forEach(
  b => b.onclick = () => { past = []; show(b.dataset.view, false); });
document.getElementById('back').onclick = () => show(past.pop(), false);
show(Object.keys(views)[0], false);
"""


def graph_page(g: Any) -> str:
    """The page; its views are drawn here, so that the browser needs nothing but to show them."""
    views: dict[str, Diagram] = {}
    main = g.diagram
    views["folded by " + main.folded if main.folded else "all nodes"] = main
    nodes = len(g.tape.nodes)
    for fold in ("layer", "module", "line"):
        known = fold == "line" or any(v.module for v in g.tape.nodes)
        if known and main.folded != fold and nodes > 8:
            views[f"folded by {fold}"] = diagram(g.tape, g.gradients, fold)
    if main.folded and nodes <= LARGEST_UNFOLDED:
        views["all nodes"] = diagram(g.tape, g.gradients, "none")
    tops = list(views)
    parts = _parts(g, views)
    data: dict[str, Any] = {}
    drawn = []
    for n, (name, d) in enumerate(views.items()):
        data[name] = {
            "id": n,
            "boxes": [
                {"title": b.title, "details": b.details, "part": parts.get((name, k))}
                for k, b in enumerate(d.boxes)
            ],
        }
        drawn.append(f'<template id="view-{n}">{draw(d).svg(background=False)}</template>')
    buttons = "".join(
        f'<button data-view="{escape(name)}">{escape(name)}</button>' for name in tops
    )
    title = f"graph of {main.title}"
    note = f'<span class="dim">{escape(g.note)}</span>' if g.note else ""
    count = f"{nodes:,} nodes, {len(g.tape.leaves):,} leaves"
    body = (
        f"{_STYLE}<header><h1>{escape(title)}</h1>{buttons}"
        f'<button id="back" style="display:none">back</button> '
        f'<span class="dim">{count}; drag, zoom, hover, click</span> '
        f"{note}</header>"
        f'<div id="stage"></div><div id="tip"></div>{"".join(drawn)}'
        f'<script type="application/json" id="views">{_json(data)}</script>'
    )
    return page(title, body, script=_SCRIPT)


def _parts(g: Any, views: dict[str, Diagram]) -> dict[tuple[str, int], str]:
    """A view of the inside of every folded box; added to `views`."""
    found: dict[tuple[str, int], str] = {}
    for name, d in list(views.items()):
        for k, b in enumerate(d.boxes):
            nodes = [v for v in b.members if v.node is not None]
            if len(nodes) < 2 or len(nodes) > LARGEST_UNFOLDED or len(views) > MOST_PARTS:
                continue
            keys = {v.key for v in b.members}
            keys |= {link.parent.key for v in nodes for link in v.inputs if len(nodes) < MOST_BOXES}
            part = f"{name} / {b.title} / {k}"
            views[part] = diagram(g.tape, g.gradients, "none", keys)
            found[name, k] = part
    return found


def _json(data: Any) -> str:
    """JSON that cannot end the script element it stands in."""
    return json.dumps(data, ensure_ascii=True).replace("<", "\\u003c")


__all__ = ["graph_page"]
