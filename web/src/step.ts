// Step through a run: forward op by op, then backward node by node, and back again.
import type { CodePane } from "./codelist";
import type { Doc, Link, Merge, Node, Step } from "./document";
import { button, h, heading, s, table } from "./dom";
import { brief, full, short } from "./values";

export class StepView {
  data!: Doc;
  at = 0; // steps done
  readonly title = h("p", { id: "where", role: "status", "aria-live": "polite" });
  readonly panel = h("section", { id: "panel", "aria-label": "This step" });
  readonly graph = h("section", { id: "graph", "aria-label": "Graph", tabindex: "0" });
  readonly modes = h("section", { id: "modes", "aria-label": "Three ways to the derivative" });
  readonly bar: HTMLElement;
  private readonly slider: HTMLInputElement;
  private boxes = new Map<number, Element>();
  private shown: number | null = null; // a node looked at instead of the step's own
  private stops = new Set<string>(); // nodes with a breakpoint, by name and line

  constructor(readonly code: CodePane, private readonly moved: () => void) {
    this.slider = h("input", { type: "range", id: "time", min: "0", "aria-label": "step" }) as HTMLInputElement;
    this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
    this.bar = h("div", { class: "buttons" }, button("Run back", "first", () => this.run(-1)),
      button("Back", "previous", () => this.go(this.at - 1)), button("Step", "next", () => this.go(this.at + 1)),
      button("Run", "last", () => this.run(1)), this.slider);
    document.addEventListener("keydown", (e) => this.key(e));
  }

  get element(): HTMLElement { return h("div", { class: "columns" }, this.code.element, this.graph, this.panel); }
  get total() { return this.data.forward.length + this.data.backward.length; }

  show(data: Doc, at = this.at) {
    this.data = data;
    this.slider.max = `${this.total}`;
    this.code.show(data);
    this.drawGraph();
    this.drawModes();
    this.go(at);
  }

  go(to: number) {
    this.at = Math.max(0, Math.min(this.total, to));
    this.shown = null;
    this.moved();
    this.draw();
  }

  run(direction: 1 | -1) {
    let to = this.at;
    do to += direction;
    while (to > 0 && to < this.total && !this.stopsAt(this.nodeAt(to)));
    this.go(to);
  }

  private node(id: number): Node { return this.data.nodes[id]; }
  private nodeAt(at: number): number {
    const forward = this.data.forward.length;
    return at > forward ? this.data.backward[at - forward - 1].node : this.data.forward[at - 1];
  }
  private file(n: Node) { return this.data.files[n.file]?.name ?? ""; }
  private stopsAt(id: number) {
    const n = this.node(id);
    return this.stops.has(`${n.label}:${n.line}`) || this.code.breakpoints.has(`${this.file(n)}:${n.line}`);
  }

  private key(e: KeyboardEvent) {
    const on = e.target as HTMLElement;
    if (on.closest?.("input, select, textarea, [contenteditable], canvas") || e.altKey || e.ctrlKey || e.metaKey) return;
    if (!this.bar.isConnected || this.bar.closest("[hidden]")) return;
    const act = { ArrowRight: () => this.go(this.at + 1), ArrowLeft: () => this.go(this.at - 1), End: () => this.run(1), Home: () => this.run(-1) }[e.key];
    if (act) { e.preventDefault(); act(); }
  }

  private draw() {
    const { at, data } = this;
    const forward = data.forward.length;
    const id = at === 0 ? null : this.nodeAt(at);
    const step = at > forward ? data.backward[at - forward - 1] : null;
    this.slider.value = `${at}`;
    this.title.textContent = `Step ${at} of ${this.total}: ` + (id === null ? "before the first op"
      : step ? `backward, ${step.torch} of ${this.node(id).label}` : `forward, ${this.node(id).op} makes ${this.node(id).label}`);
    if (id === null) this.code.light("", 0);
    else this.code.light(this.file(this.node(id)), this.node(id).line);
    const ran = new Set(data.forward.slice(0, Math.min(at, forward)));
    const returned = new Set(data.backward.slice(0, Math.max(0, at - forward)).map((b) => b.node));
    for (const [key, box] of this.boxes) {
      const done = ran.has(key) || this.node(key).kind !== "op";
      box.setAttribute("class", `box${done ? " done" : ""}${returned.has(key) ? " back" : ""}${key === id ? " now" : ""}`);
    }
    if (id !== null && data.places) {
      const [x, y, wide] = data.places.boxes[id];
      this.graph.scrollLeft = x + wide / 2 - this.graph.clientWidth / 2;
      this.graph.scrollTop = y - this.graph.clientHeight / 2;
    }
    this.panel.replaceChildren(...(this.shown !== null ? this.describe(this.node(this.shown)) : id === null ? this.start()
      : step ? this.backwards(step) : this.describe(this.node(id))));
  }

  private start() {
    const { data } = this;
    return [h("h2", {}, data.title), ...data.notes.map((n) => h("p", {}, n)),
      h("p", {}, `${data.forward.length} ops forward, ${data.backward.length} steps back. Right and left arrows step, End runs on to the next breakpoint, Home goes back.`)];
  }

  private stopper(n: Node) {
    const key = `${n.label}:${n.line}`;
    const made = button("Break here", "", () => {
      if (!this.stops.delete(key)) this.stops.add(key);
      made.setAttribute("aria-pressed", `${this.stops.has(key)}`);
    }, { class: "stopper", "aria-pressed": `${this.stops.has(key)}` });
    return made;
  }

  private describe(n: Node): HTMLElement[] {
    const said = [n.formula, n.numbers, n.outputs.length === 1 ? brief(n.outputs[0]) : ""].filter(Boolean);
    const made: HTMLElement[] = [h("h2", {}, n.label), h("p", { class: "formula" }, [...new Set([n.label, ...said])].join(" = ")),
      h("p", {}, `${n.kind === "op" ? n.op : n.kind}${n.module ? `, in ${n.module}` : ""}${n.tracked ? "" : ", no gradient flows here"}`)];
    n.outputs.forEach((v) => made.push(full(v)));
    if (n.inputs.length) made.push(heading("Computed from"), h("ul", {}, ...n.inputs.map((i) => h("li", {},
      i.from === undefined ? `${i.name}: the constant ${Array.isArray(i.constant) ? `of shape [${i.constant}]` : short(i.constant)}`
        : `${i.name}: ${this.node(i.from).label}`))));
    if (n.saved?.length) made.push(heading("Saved for backward"), h("ul", {}, ...n.saved.map((v) => h("li", {},
      `${v.name} [${v.shape.join(", ")}], ${v.kind}, ${v.bytes} bytes more`))), h("p", {}, `${n.kept} bytes kept so far`));
    made.push(this.stopper(n));
    return made;
  }

  private backwards(step: Step): HTMLElement[] {
    const made = [h("h2", {}, `${step.torch} of ${this.node(step.node).label}`)];
    if (step.kind === "leaf") made.push(heading("The gradient is complete and goes to .grad"), full(step.gradient));
    else made.push(heading("The gradient that arrives"), ...(step.arriving ?? []).map((v) => full(v)));
    for (const m of step.merges) made.push(...this.merged(m));
    for (const k of step.links ?? []) made.push(...this.linked(k));
    const freed = step.freed ?? [];
    if (freed.length) made.push(heading("Freed"), h("p", {}, freed.map(([n, b]) => `${n}: ${b} bytes`).join(", ")));
    made.push(this.stopper(this.node(step.node)));
    return made;
  }

  private linked(k: Link): HTMLElement[] {
    const local = [k.of, k.formula, k.numbers, k.derivative === undefined ? "" : short(k.derivative)].filter(Boolean);
    return [heading(`To ${this.node(k.to).label}`), h("p", { class: "formula" }, [...new Set(local)].join(" = ")),
      k.product ? h("p", {}, `arriving × local = ${brief(k.product)}`) : h("p", {}, "Nothing flows this way."),
      ...((k.part ?? 1) > 1 ? [h("p", {}, `added to what is there: ${brief(k.sum)}`)] : [])];
  }

  private merged(m: Merge): HTMLElement[] {
    const words = Number(m.alignment) < 0.01 ? "They cancel." : `Alignment ${short(m.alignment)} (1: they agree, 0: they cancel).`;
    return [heading(`${m.parts.length} paths meet`), h("ul", {}, ...m.parts.map((p) => h("li", {},
      `from ${this.node(p.from).label}: ${brief(p.value)}${p.share === null ? "" : `, share ${short(p.share)}`}`))), h("p", {}, words)];
  }

  private drawGraph() {
    const p = this.data.places;
    this.boxes.clear();
    if (!p) {
      this.graph.replaceChildren(h("p", {}, `${this.data.nodes.length} nodes are too many to draw here: step through them by line, or look at them under Model.`));
      return;
    }
    const svg = s("svg", { width: p.width, height: p.height, viewBox: `0 0 ${p.width} ${p.height}`, role: "group", "aria-label": "computation graph" });
    for (const points of p.links) {
      let d = `M${points[0]} ${points[1]}`;
      for (let k = 2; k < points.length; k += 2) d += `L${points[k]} ${points[k + 1]}`;
      svg.append(s("path", { class: "edge", d }));
    }
    p.boxes.forEach((box, k) => svg.append(this.box(box, k)));
    this.graph.replaceChildren(svg);
  }

  private box([x, y, w, tall]: number[], k: number): Element {
    const n = this.node(k);
    const value = n.outputs[0];
    const under = !value?.shape ? "" : value.numbers?.length === 1 ? short(value.numbers[0]) : `[${value.shape.join(", ")}]`;
    const g = s("g", { role: "button", tabindex: 0 });
    g.append(s("rect", { x, y, width: w, height: tall, rx: 6 }), s("text", { x: x + w / 2, y: y + 15 }, `${n.label.slice(0, 26)} `),
      s("text", { class: "small", x: x + w / 2, y: y + 30 }, under));
    const look = () => { this.shown = k; this.draw(); };
    g.addEventListener("click", look);
    g.addEventListener("keydown", (e) => { if ((e as KeyboardEvent).key === "Enter") look(); });
    this.boxes.set(k, g);
    return g;
  }

  private drawModes() {
    const m = this.data.modes;
    if (!m?.rows.length) { this.modes.replaceChildren(); return; }
    const rows = m.rows.map((r) => [r.input, short(r.numeric), short(r.symbolic), short(r.automatic), r.formula ?? m.reason]);
    this.modes.replaceChildren(h("h2", {}, "Three ways to the derivative"),
      table(["d / d", "numeric difference", "symbolic", "automatic", "formula"], rows, "derivatives"));
  }
}
