// Step through a run: forward op by op, then backward node by node, and back again.
import type { CodePane } from "./codelist";
import type { Doc, Node } from "./document";
import { button, h, table } from "./dom";
import { GraphView } from "./graph";
import { backwards, describe } from "./panel";
import { short } from "./values";

export class StepView {
  data: Doc | null = null;
  at = 0; // steps done
  readonly title = h("p", { id: "where", role: "status", "aria-live": "polite" }, "Running the program …");
  readonly panel = h("section", { id: "panel", "aria-label": "This step", tabindex: "0" });
  readonly graph: GraphView;
  readonly modes = h("section", { id: "modes", "aria-label": "Three ways to the derivative" });
  readonly bar: HTMLElement;
  readonly stage: HTMLElement; // graph, panel and the table below them
  stops = new Set<string>(); // nodes with a breakpoint, by name and line
  private readonly slider: HTMLInputElement;
  private shown: number | null = null; // a node looked at instead of the step's own

  constructor(readonly code: CodePane, private readonly moved: () => void) {
    this.slider = h("input", { type: "range", id: "time", min: "0", max: "0", value: "0", "aria-label": "step" }) as HTMLInputElement;
    this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
    this.bar = h("div", { class: "buttons stepping", role: "group", "aria-label": "Step through the run" },
      sign("first", "◀◀", "Run back", () => this.run(-1)), sign("previous", "◀", "Back", () => this.go(this.at - 1)),
      button("Step ▶", "next", () => this.go(this.at + 1), { class: "primary" }), sign("last", "▶▶", "Run", () => this.run(1)), this.slider, this.title);
    this.graph = new GraphView((id) => { this.shown = id; this.draw(); });
    this.stage = h("div", { class: "stage" }, h("div", { class: "pair" }, this.graph.element, this.panel), this.modes);
    document.addEventListener("keydown", (e) => this.key(e));
  }

  get total() { return this.data ? this.data.forward.length + this.data.backward.length : 0; }

  show(data: Doc, at = this.at) {
    this.data = data;
    this.slider.max = `${this.total}`;
    this.code.show(data);
    this.graph.show(data);
    this.drawModes();
    this.go(at);
  }

  /** Another program has not run yet: nothing of the one before is shown beside it. */
  clear(said: string) {
    this.data = null;
    this.at = 0;
    this.slider.max = "0";
    this.title.textContent = said;
    this.code.light("", 0);
    this.graph.clear();
    this.panel.replaceChildren();
    this.modes.replaceChildren();
  }

  go(to: number) {
    if (!this.data) return;
    this.at = Math.max(0, Math.min(this.total, to));
    this.shown = null;
    this.moved();
    this.draw();
  }

  run(direction: 1 | -1) {
    if (!this.data) return;
    let to = this.at;
    do to += direction;
    while (to > 0 && to < this.total && !this.stopsAt(this.nodeAt(to)));
    this.go(to);
  }

  private node(id: number): Node { return this.data!.nodes[id]; }
  private nodeAt(at: number): number {
    const { forward, backward } = this.data!;
    return at > forward.length ? backward[at - forward.length - 1].node : forward[at - 1];
  }
  private file(n: Node) { return this.data!.files[n.file]?.name ?? ""; }
  private stopsAt(id: number) {
    const n = this.node(id);
    return this.stops.has(keyOf(n)) || this.code.breakpoints.has(`${this.file(n)}:${n.line}`);
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
    if (!data) return;
    const forward = data.forward.length;
    const id = at === 0 ? null : this.nodeAt(at);
    const step = at > forward ? data.backward[at - forward - 1] : null;
    this.slider.value = `${at}`;
    this.title.textContent = `Step ${at} of ${this.total}: ` + (id === null ? "before the first op"
      : step ? `backward, ${step.torch} of ${this.node(id).label}` : `forward, ${this.node(id).op} makes ${this.node(id).label}`);
    if (id === null) this.code.light("", 0);
    else this.code.light(this.file(this.node(id)), this.node(id).line);
    this.graph.at(at, this.shown, (n) => this.stops.has(keyOf(n)));
    const looked = this.shown ?? (step ? null : id);
    const parts = looked !== null ? describe(data, this.node(looked)) : step ? backwards(data, step) : this.start(data);
    const about = this.shown ?? id;
    this.panel.replaceChildren(...parts, ...(about === null ? [] : [this.stopper(this.node(about))]));
    this.panel.scrollTop = 0;
  }

  private start(data: Doc) {
    return [h("h2", {}, data.title), ...data.notes.map((n) => h("p", {}, n)),
      h("p", {}, `${data.forward.length} ops forward, ${data.backward.length} steps back. Step ▶ takes one, ▶▶ runs on to the next breakpoint, ◀ and ◀◀ go back. On a keyboard: the arrows, End and Home.`)];
  }

  private stopper(n: Node) {
    const key = keyOf(n);
    const made = button("Break here", "", () => {
      if (!this.stops.delete(key)) this.stops.add(key);
      made.setAttribute("aria-pressed", `${this.stops.has(key)}`);
      this.graph.at(this.at, this.shown, (other) => this.stops.has(keyOf(other)));
      this.moved();
    }, { class: "stopper", "aria-pressed": `${this.stops.has(key)}`, title: "Run and Run back stop at this node" });
    return made;
  }

  private drawModes() {
    const m = this.data?.modes;
    if (!m?.rows.length) { this.modes.replaceChildren(...(m?.reason ? [h("h2", {}, "Three ways to the derivative"), h("p", { class: "hint" }, m.reason)] : [])); return; }
    const rows = m.rows.map((r) => [r.input, `${short(r.numeric)}${r.differs ? " ≠" : ""}`, short(r.symbolic), short(r.automatic), r.formula ?? ""]);
    const notes = [m.reason, m.rows.some((r) => r.differs) ? "≠: the difference disagrees with the automatic derivative. It does where a part runs without gradients (detach, no_grad), at a kink or a jump, where the backward of a custom Function is wrong, or where the numbers are too coarse (single or half precision)." : ""];
    this.modes.replaceChildren(h("h2", {}, "Three ways to the derivative"),
      table([`d ${this.data!.title} / d`, "numeric difference", "symbolic", "automatic", "formula"], rows, "derivatives"), ...notes.filter(Boolean).map((t) => h("p", { class: "hint" }, t)));
  }
}

/** A button whose word is left out where there is little room. */
function sign(id: string, arrow: string, word: string, act: () => void) {
  const made = button("", id, act, { "aria-label": word, title: word });
  const text = h("span", { class: "word" }, word);
  made.append(...(arrow[0] === "▶" ? [text, arrow] : [arrow, text]));
  return made;
}

const keyOf = (n: Node) => `${n.label}:${n.line}`;
