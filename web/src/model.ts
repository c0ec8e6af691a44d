// A model as a graph folded by module, on a canvas: zoom, pan, search, figures as colour.
import type { Doc, Node } from "./document";
import { button, field, h, heading, select, table } from "./dom";
import { type Figures, figuresOf, fold, type Folded, modulesOf, type Shown, tree } from "./folding";
import { type Layout, layered } from "./layered";
import { full, heat, short } from "./values";

type Measure = "nothing" | "parameters" | "memory" | "time" | "gradient";
const WORDS: Record<Measure, string> = { nothing: "nothing", parameters: "parameters", memory: "memory kept for backward", time: "time", gradient: "gradient norm" };

function bytes(n: number): string { return n >= 1 << 20 ? `${short(Number((n / (1 << 20)).toPrecision(3)))} MiB` : n >= 1024 ? `${short(Number((n / 1024).toPrecision(3)))} KiB` : `${n} B`; }
const duration = (micros: number) => { const [unit, size] = micros >= 1e6 ? ["s", 1e6] as const : micros >= 1e3 ? ["ms", 1e3] as const : ["µs", 1] as const; return `${short(Number((micros / size).toPrecision(3)))} ${unit}`; };
const figure = (m: Measure, v: number) => (!Number.isFinite(v) ? "not finite" : m === "memory" ? bytes(v) : m === "time" ? duration(v) : m === "gradient" ? short(Number(v.toPrecision(3))) : v.toLocaleString("en"));

export class ModelView {
  readonly title = "Model";
  readonly element = h("div", { id: "model" });
  private doc: Doc | null = null;
  private modules: string[] = [];
  private figures: Figures[] = [];
  private open = new Set<string>();
  private folded: Folded = { boxes: [], links: [], place: new Map() };
  private layout: Layout = { boxes: [], bends: [] };
  private scale = 1;
  private x = 0;
  private y = 0;
  private measure: Measure = "gradient";
  private chosen = -1;
  private found: number[] = []; // boxes
  private hits = new Map<number, number>(); // of every box found, how many nodes
  private drawn = 0; // a frame that is asked for
  private top = 1; // the largest figure of the measure that colours
  private low = 1; // and the smallest above zero
  private readonly canvas = h("canvas", { id: "map", tabindex: "0", role: "application", "aria-label": "graph of the model; arrows move, plus and minus zoom, Page Down and Page Up choose a box, Enter opens it; the table below has the same modules" }) as HTMLCanvasElement;
  private readonly scaleKey = h("span", { class: "scale" });
  private readonly status = h("p", { id: "seen", role: "status" });
  private readonly details = h("section", { id: "details", "aria-label": "Details" });
  private readonly list = h("section", { id: "modules", "aria-label": "Modules" });
  private readonly search = h("input", { type: "search", id: "search", placeholder: "name, op or line", "aria-label": "search" }) as HTMLInputElement;

  constructor(private readonly live: { doc: Doc | null }) {
    this.search.addEventListener("input", () => this.find(0));
    this.search.addEventListener("keydown", (e) => { if (e.key === "Enter") this.find(1); });
    const bar = h("div", { class: "buttons" }, field("search", this.search), button("Next", "find-next", () => this.find(1)),
      field("colour by", select("measure", Object.entries(WORDS), this.measure, (v) => { this.measure = v as Measure; this.rescale(); this.draw(); })), this.scaleKey,
      button("+", "zoom-in", () => this.zoom(1.3), { "aria-label": "zoom in" }), button("−", "zoom-out", () => this.zoom(1 / 1.3), { "aria-label": "zoom out" }),
      button("Fit", "fit", () => this.fit()), button("Open all", "open-all", () => this.fold(true)), button("Close all", "close-all", () => this.fold(false)));
    this.element.append(bar, this.status, h("div", { class: "columns map" }, this.canvas, this.details), this.list);
    this.listen();
    new ResizeObserver(() => this.resize()).observe(this.canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  shown() {
    if (this.live.doc && this.live.doc !== this.doc) this.take(this.live.doc);
    else if (!this.live.doc) this.clear();
    this.resize();
  }

  private take(doc: Doc) {
    this.doc = doc;
    this.modules = modulesOf(doc);
    this.figures = figuresOf(doc);
    this.open.clear();
    this.search.value = "";
    this.layOut();
    this.begin();
    this.drawList();
  }

  private clear() {
    this.doc = null;
    this.folded = { boxes: [], links: [], place: new Map() };
    this.layout = { boxes: [], bends: [] };
    this.found = [];
    this.details.replaceChildren();
    this.list.replaceChildren();
    this.status.textContent = "Nothing has run yet.";
  }

  private layOut() {
    this.folded = fold(this.doc!, this.modules, this.figures, this.open);
    const widths = this.folded.boxes.map((b) => Math.min(230, Math.max(90, 8 * Math.max(b.label.length, b.under.length) + 20)));
    this.layout = layered(widths, this.folded.links);
    this.rescale();
    this.chosen = -1;
    this.details.replaceChildren(h("p", {}, "Click on a module to open it, on an op to see its value."), h("p", { class: "hint" }, "Times are of this one run; what is used for the first time is also prepared in it."));
    this.status.textContent = `${this.doc!.nodes.length.toLocaleString("en")} nodes, ${this.folded.boxes.length.toLocaleString("en")} boxes shown`;
    this.find(0);
    this.draw();
  }

  private fold(open: boolean) {
    this.open = new Set(open ? tree(this.modules, this.figures).map((m) => m.path) : []);
    this.layOut();
    this.fit();
    this.drawList();
  }

  private toggle(path: string) {
    if (this.open.has(path)) for (const p of [...this.open]) { if (p === path || p.startsWith(`${path}.`)) this.open.delete(p); }
    else path.split(".").forEach((_, k, parts) => this.open.add(parts.slice(0, k + 1).join(".")));
    this.layOut();
    const first = this.folded.boxes.findIndex((b) => b.path === path || b.path.startsWith(`${path}.`));
    if (first >= 0) this.centre(first);
    this.drawList();
  }

  private rescale() {
    const of = (b: Shown) => b.figures[this.measure as keyof Figures];
    this.top = this.measure === "nothing" ? 1 : Math.max(1e-30, this.folded.boxes.reduce((most, b) => (of(b) < Infinity ? Math.max(most, of(b)) : most), 0));
    this.low = Math.max(this.top * 1e-8, this.folded.boxes.reduce((least, b) => (of(b) > 0 ? Math.min(least, of(b)) : least), this.top));
    this.scaleKey.hidden = this.measure === "nothing";
    this.scaleKey.replaceChildren(this.measure === "gradient" ? figure(this.measure, this.low) : "0", h("span", { class: "ramp", "aria-hidden": "true" }), figure(this.measure, this.top));
  }

  // ---- looking ----------------------------------------------------------------------------------

  private get boxes() { return this.layout.boxes; }

  /** How large the page's type is: 1 is 16 pixels. */
  private get type() { return parseFloat(getComputedStyle(document.documentElement).fontSize) / 16; }

  private resize() {
    const ratio = devicePixelRatio || 1;
    const { clientWidth: wide, clientHeight: tall } = this.canvas;
    if (!wide) return;
    this.canvas.width = wide * ratio;
    this.canvas.height = tall * ratio;
    this.draw();
  }

  /** The beginning of the graph, large enough to be read. */
  private begin() {
    this.fit();
    const least = 0.85 * this.type;
    if (this.scale >= least || !this.boxes.length) return;
    const first = this.boxes.reduce((top, b) => (b.y < top.y ? b : top));
    this.scale = least;
    this.x = first.x - this.canvas.clientWidth / this.scale / 2;
  }

  private fit() {
    if (!this.boxes.length) return;
    const left = Math.min(...this.boxes.map((b) => b.x - b.w / 2)), right = Math.max(...this.boxes.map((b) => b.x + b.w / 2));
    const bottom = Math.max(...this.boxes.map((b) => b.y + b.h));
    const { clientWidth: wide, clientHeight: tall } = this.canvas;
    this.scale = Math.max(0.05, Math.min(this.type, wide / (right - left + 40), tall / (bottom + 40)));
    this.x = (left + right) / 2 - wide / this.scale / 2;
    this.y = -20;
    this.draw();
  }

  private centre(k: number) {
    this.x = this.boxes[k].x - this.canvas.clientWidth / this.scale / 2;
    this.y = this.boxes[k].y - this.canvas.clientHeight / this.scale / 2;
    this.draw();
  }

  zoom(by: number, cx = this.canvas.clientWidth / 2, cy = this.canvas.clientHeight / 2) {
    const to = Math.max(0.05, Math.min(4, this.scale * by));
    this.x += cx / this.scale - cx / to;
    this.y += cy / this.scale - cy / to;
    this.scale = to;
    this.draw();
  }

  private find(step: number) {
    const text = this.search.value.trim().toLowerCase();
    const last = this.found;
    const match = (n: Node, k: number) => `${n.label} ${this.modules[k]} ${n.op} line ${n.line}`.toLowerCase().includes(text);
    this.hits = new Map();
    if (text) this.doc?.nodes.forEach((n, k) => { if (match(n, k)) { const b = this.folded.place.get(k)!; this.hits.set(b, (this.hits.get(b) ?? 0) + 1); } });
    this.found = [...this.hits.keys()].sort((a, b) => a - b);
    if (text) {
      const at = step && this.found.includes(this.chosen) ? (this.found.indexOf(this.chosen) + step) % this.found.length : 0;
      this.status.textContent = this.found.length ? `${at + 1} of ${this.found.length} found` : "nothing found";
      if (this.found.length) { this.choose(this.found[at]); this.centre(this.found[at]); }
    } else if (last.length) this.draw();
  }

  private listen() {
    const c = this.canvas;
    const down = new Map<number, { x: number; y: number }>();
    let moved = false;
    c.addEventListener("pointerdown", (e) => {
      down.set(e.pointerId, { x: e.clientX, y: e.clientY });
      if (down.size === 1) moved = false;
      c.setPointerCapture(e.pointerId);
    });
    c.addEventListener("pointermove", (e) => {
      const from = down.get(e.pointerId);
      if (!from) return;
      const dx = e.clientX - from.x, dy = e.clientY - from.y;
      if (Math.abs(dx) + Math.abs(dy) < 4 && !moved) return;
      moved = true;
      if (down.size === 2) this.pinch([...down].find(([id]) => id !== e.pointerId)![1], from, e);
      else { this.x -= dx / this.scale; this.y -= dy / this.scale; }
      down.set(e.pointerId, { x: e.clientX, y: e.clientY });
      this.draw();
    });
    const up = (e: PointerEvent) => { if (down.delete(e.pointerId) && !moved && e.type === "pointerup") this.click(e); };
    c.addEventListener("pointerup", up);
    c.addEventListener("pointercancel", up);
    c.addEventListener("wheel", (e) => { e.preventDefault(); const r = c.getBoundingClientRect(); this.zoom(Math.exp(-e.deltaY / 500), e.clientX - r.left, e.clientY - r.top); }, { passive: false });
    c.addEventListener("keydown", (e) => {
      const by = 80 / this.scale;
      const act: Record<string, () => void> = { ArrowLeft: () => { this.x -= by; }, ArrowRight: () => { this.x += by; }, ArrowUp: () => { this.y -= by; }, ArrowDown: () => { this.y += by; },
        "+": () => this.zoom(1.3), "-": () => this.zoom(1 / 1.3), Enter: () => { if (this.chosen >= 0) this.activate(this.chosen); },
        PageDown: () => this.next(1), PageUp: () => this.next(-1) };
      if (act[e.key]) { e.preventDefault(); act[e.key](); this.draw(); }
    });
  }

  /** Two fingers: one stays, the other moves. */
  private pinch(still: { x: number; y: number }, from: { x: number; y: number }, to: PointerEvent) {
    const r = this.canvas.getBoundingClientRect();
    const before = Math.hypot(from.x - still.x, from.y - still.y), after = Math.hypot(to.clientX - still.x, to.clientY - still.y);
    if (before > 8) this.zoom(after / before, still.x - r.left, still.y - r.top);
  }

  private next(step: 1 | -1) {
    const count = this.boxes.length;
    if (!count) return;
    const to = this.chosen < 0 ? (step > 0 ? 0 : count - 1) : (this.chosen + step + count) % count;
    this.choose(to);
    this.centre(to);
    this.status.textContent = `${this.folded.boxes[to].label}, box ${to + 1} of ${count}${this.folded.boxes[to].node ? "" : ": Enter opens it"}`;
  }

  private click(e: PointerEvent) {
    const r = this.canvas.getBoundingClientRect();
    const x = (e.clientX - r.left) / this.scale + this.x, y = (e.clientY - r.top) / this.scale + this.y;
    const hit = this.boxes.findIndex((b) => Math.abs(x - b.x) <= b.w / 2 && y >= b.y && y <= b.y + b.h);
    if (hit >= 0) this.activate(hit);
  }

  private activate(k: number) {
    const b = this.folded.boxes[k];
    if (b.node) this.choose(k); else this.toggle(b.key);
  }

  private choose(k: number) {
    this.chosen = k;
    const b = this.folded.boxes[k];
    const rows = (["parameters", "memory", "time", "gradient"] as Measure[]).map((m) => [WORDS[m], figure(m, b.figures[m as keyof Figures])]);
    const parts: HTMLElement[] = [h("h2", {}, b.label), h("p", {}, b.node ? `${b.node.kind === "op" ? b.node.op : b.node.kind}${b.path ? `, in ${b.path}` : ""}${b.node.line ? `, line ${b.node.line}` : ""}` : `${b.figures.count} nodes`),
      ...(b.node || !this.hits.has(k) ? [] : [h("p", {}, `${this.hits.get(k)!.toLocaleString("en")} found inside: open it to see them.`)]), ...(b.node ? [] : [button(this.open.has(b.key) ? "Close it" : "Open it", "open-module", () => this.toggle(b.key))]), table([], rows, "figures")];
    if (b.node?.maps) parts.push(heading(`Attention of ${b.node.maps.lead.join(" × ")} heads`), h("p", { class: "hint" }, `${b.node.maps.count > b.node.maps.values.length ? `The first ${b.node.maps.values.length}. ` : ""}A row per query, a column per key; darker attends more.`), h("div", { class: "maps" }, ...b.node.maps.values.map((values, head) => {
      const made = heat({ rows: b.node!.maps!.rows, columns: b.node!.maps!.columns, values }, `attention of head ${head}`);
      made.classList.add("attention");
      return made;
    })));
    if (b.node) b.node.outputs.slice(0, 1).forEach((v) => parts.push(full(v)));
    this.details.replaceChildren(...parts);
    this.draw();
  }

  private drawList() {
    const inSight = (path: string) => path.split(".").slice(0, -1).every((_, k, outer) => this.open.has(outer.slice(0, k + 1).join(".")));
    const rows = tree(this.modules, this.figures).filter((m) => inSight(m.path)).map((m) => {
      const shut = button(`${this.open.has(m.path) ? "▾" : "▸"} ${m.path}`, "", () => this.toggle(m.path), { class: "opener", "aria-expanded": `${this.open.has(m.path)}`, style: `margin-left:${m.depth * 14}px`, "data-path": m.path });
      return [shut, ...(["parameters", "memory", "time", "gradient"] as Measure[]).map((k) => figure(k, m.figures[k as keyof Figures]))];
    });
    this.list.replaceChildren(...(rows.length ? [h("h2", {}, "Modules"), table(["module", ...["parameters", "memory", "time", "gradient"].map((m) => WORDS[m as Measure])], rows, "modules")] : []));
  }

  // ---- drawing ----------------------------------------------------------------------------------

  private draw() { if (!this.drawn) this.drawn = requestAnimationFrame(() => { this.drawn = 0; this.paint(); }); }

  private paint() {
    const c = this.canvas.getContext("2d")!;
    const ratio = devicePixelRatio || 1;
    const style = getComputedStyle(document.documentElement);
    const colour = (name: string) => style.getPropertyValue(name).trim();
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.clearRect(0, 0, this.canvas.width, this.canvas.height);
    const k = this.scale * ratio;
    c.setTransform(k, 0, 0, k, -this.x * k, -this.y * k);
    const right = this.x + this.canvas.clientWidth / this.scale, bottom = this.y + this.canvas.clientHeight / this.scale;
    c.strokeStyle = colour("--line");
    c.lineWidth = 1.3;
    c.beginPath();
    const far = this.scale < 0.25; // names cannot be read
    this.folded.links.forEach(([a, b], k) => {
      const p = this.boxes[a], q = this.boxes[b], bends = this.layout.bends[k];
      if (Math.min(p.y, q.y) > bottom || Math.max(p.y + p.h, q.y + q.h) < this.y) return;
      c.moveTo(p.x, p.y + p.h);
      if (!bends.length && q.layer - p.layer !== 1) { c.bezierCurveTo(p.x + 60, p.y + p.h + 60, q.x + 60, q.y - 60, q.x, q.y); return; }
      for (let j = 0; j < bends.length; j += 2) c.lineTo(bends[j], bends[j + 1]);
      c.lineTo(q.x, q.y);
    });
    c.stroke();
    const found = new Set(this.found);
    c.textAlign = "center";
    const paper = colour("--panel"), ink = colour("--ink"), now = colour("--now"), dim = colour("--dim");
    this.boxes.forEach((b, i) => {
      if (b.y > bottom || b.y + b.h < this.y || b.x - b.w / 2 > right || b.x + b.w / 2 < this.x) return;
      const shown = this.folded.boxes[i];
      c.fillStyle = paper;
      c.beginPath();
      if (far) c.rect(b.x - b.w / 2, b.y, b.w, b.h);
      else c.roundRect(b.x - b.w / 2, b.y, b.w, b.h, 6);
      c.fill();
      if (this.measure !== "nothing") {
        const v = shown.figures[this.measure as keyof Figures];
        const share = !Number.isFinite(v) ? 1 : v <= 0 ? 0 : this.measure !== "gradient" ? Math.sqrt(v / this.top) : this.low < this.top ? 0.1 + 0.9 * Math.max(0, Math.log(v / this.low) / Math.log(this.top / this.low)) : 1;
        c.fillStyle = `rgba(${Number.isFinite(v) ? "217,119,6" : "220,38,38"},${(0.6 * share).toFixed(3)})`;
        c.fill();
      }
      c.strokeStyle = i === this.chosen || found.has(i) ? now : shown.node ? colourOf(shown, dim, ink) : ink;
      c.lineWidth = i === this.chosen ? 4 : shown.node ? 1.2 : 2.4;
      c.stroke();
      if (far) return;
      c.fillStyle = ink;
      c.font = `${shown.node ? "" : "bold "}13px ui-monospace, monospace`;
      c.fillText(shown.label.slice(0, 27), b.x, b.y + 18, b.w - 8);
      c.font = "11px ui-monospace, monospace";
      c.fillText(shown.under.slice(0, 30), b.x, b.y + 34, b.w - 8);
    });
  }
}

const colourOf = (b: Shown, dim: string, ink: string) => (b.node!.kind === "op" ? ink : dim);
