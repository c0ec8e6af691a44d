// The graph beside the code: values appear as ops run, gradients as they come back.
import type { Doc, Node, Value } from "./document";
import { h, s } from "./dom";
import { short } from "./values";

const tiny = (v: Value | null | undefined) => (!v?.shape ? "" : v.numbers?.length === 1 ? short(v.numbers[0]) : `[${v.shape.join(", ")}]`);
const sized = (v: Value) => (v.numbers?.length === 1 ? short(v.numbers[0]) : `norm ${short(typeof v.norm === "number" ? Number(v.norm.toPrecision(3)) : v.norm)}`);

interface Drawn { group: SVGElement; value: SVGElement; gradient: SVGElement; text: string }

export class GraphView {
  readonly element = h("section", { id: "graph", "aria-label": "Graph", tabindex: "0" });
  preview = true; // before the first step every value is shown, faintly
  private data: Doc | null = null;
  private boxes: Drawn[] = [];
  private edges: { from: number; to: number; path: SVGElement }[] = [];

  constructor(private readonly look: (id: number) => void) {}

  clear() {
    this.data = null;
    this.boxes = [];
    this.edges = [];
    this.element.replaceChildren();
  }

  show(data: Doc) {
    this.data = data;
    const p = data.places;
    this.boxes = [];
    this.edges = [];
    if (!p) {
      this.element.replaceChildren(h("p", {}, `${data.nodes.length} nodes are too many to draw here: step through them by line, or look at them under Model.`));
      return;
    }
    const wide = p.width + 8; // a little narrower where that lets all of it be seen
    const svg = s("svg", { style: `width:${wide / 16}rem;max-width:max(100%,${wide / 20}rem);height:auto`, viewBox: `-4 -4 ${p.width + 8} ${p.height + 8}`, role: "group", "aria-label": "computation graph" });
    const links = data.nodes.flatMap((n) => n.inputs.flatMap((i) => (i.from === undefined ? [] : [[i.from, n.id]])));
    p.links.forEach((points, k) => {
      let d = `M${points[0]} ${points[1]}`;
      for (let j = 2; j < points.length; j += 2) d += `L${points[j]} ${points[j + 1]}`;
      const path = s("path", { class: "edge", d }) as SVGElement;
      this.edges.push({ from: links[k][0], to: links[k][1], path });
      svg.append(path);
    });
    p.boxes.forEach((box, k) => svg.append(this.box(box, k)));
    const key = h("p", { class: "keys", "aria-hidden": "true" }, h("span", { class: "k-done" }, "computed"), h("span", { class: "k-back" }, "∂ gradient is here"), h("span", { class: "k-now" }, "this step"));
    this.element.replaceChildren(h("div", { class: "drawing" }, svg), key);
  }

  private box([x, y, w, tall]: number[], k: number): Element {
    const n = this.data!.nodes[k];
    const group = s("g", { role: "button", tabindex: 0, "data-node": k }) as SVGElement;
    const value = s("text", { class: "small", x: x + w / 2, y: y + 31 }) as SVGElement;
    const gradient = s("text", { class: "small grad", x: x + w / 2, y: y + 46 }) as SVGElement;
    group.append(s("rect", { x, y, width: w, height: tall, rx: 7 }), s("text", { x: x + w / 2, y: y + 16 }, `${clipped(n.label)} `), value, gradient);
    group.addEventListener("click", () => this.look(k));
    group.addEventListener("keydown", (e) => {
      const { key } = e as KeyboardEvent;
      if (key === "Enter" || key === " ") { e.preventDefault(); this.look(k); }
    });
    this.boxes.push({ group, value, gradient, text: tiny(n.outputs[0]) });
    return group;
  }

  /** Draw the moment after so many steps; `shown` is a node that is looked at instead. */
  at(at: number, shown: number | null, stopped: (n: Node) => boolean) {
    const { data } = this;
    if (!data || !this.boxes.length) return;
    const forward = data.forward.length, back = data.backward.slice(0, Math.max(0, at - forward));
    const ran = new Set(data.forward.slice(0, Math.min(at, forward)));
    const step = at > forward ? data.backward[at - forward - 1] : null;
    const now = at === 0 ? null : step ? step.node : data.forward[at - 1];
    const returned = new Set(back.map((b) => b.node));
    const grads = this.gradients(back);
    this.boxes.forEach((box, k) => {
      const n = data.nodes[k];
      const done = ran.has(k) || n.kind !== "op";
      box.group.setAttribute("class", ["box", done ? "done" : "", returned.has(k) ? "back" : "", k === now ? "now" : "", k === shown ? "looked" : "", stopped(n) ? "stopped" : ""].join(" ").trim());
      box.value.textContent = done || (at === 0 && this.preview) ? `${box.text} ` : "";
      const g = grads.get(k);
      box.gradient.textContent = g ? `∂ ${sized(g)}` : "";
      box.group.toggleAttribute("aria-current", false);
      if (k === now) box.group.setAttribute("aria-current", "step");
    });
    for (const e of this.edges) {
      const active = e.to === now;
      e.path.setAttribute("class", `edge${active ? step ? " flows-back" : " flows" : ""}`);
    }
    this.bring(shown ?? now);
  }

  /** The gradients that have arrived so far, summed as the pass adds them up. */
  private gradients(steps: Doc["backward"]): Map<number, Value> {
    const found = new Map<number, Value>();
    for (const step of steps) {
      const own = step.kind === "leaf" ? step.gradient : step.arriving?.find((v) => v);
      if (own) found.set(step.node, own);
      for (const link of step.links ?? []) if (link.sum) found.set(link.to, link.sum);
    }
    return found;
  }

  private bring(id: number | null) {
    const place = id === null ? null : this.data?.places?.boxes[id];
    if (!place) return;
    const around = this.element.querySelector(".drawing") as HTMLElement;
    const drawn = around.firstElementChild!.clientWidth / (this.data!.places!.width + 8);
    const [x, y, wide, tall] = place.map((v) => v * drawn);
    const inside = (low: number, high: number, from: number, size: number) => low >= from + 8 && high <= from + size - 8;
    if (!inside(x, x + wide, around.scrollLeft, around.clientWidth)) around.scrollLeft = x + wide / 2 - around.clientWidth / 2;
    if (!inside(y, y + tall, around.scrollTop, around.clientHeight)) around.scrollTop = y - around.clientHeight / 2;
  }
}

/** The end of a long expression says which op it is: what is left out lies in the middle. */
const clipped = (label: string) => (label.length > 26 ? `${label.slice(0, 11)}…${label.slice(-14)}` : label);
