// Step through a recorded run: forward op by op, then backward node by node, and back again.
import type { Doc, Link, Merge, Node, Step } from "./document";
import { brief, full, h, s, short } from "./values";

const data = JSON.parse(document.getElementById("document")!.textContent!) as Doc;
const forward = data.forward.length;
const total = forward + data.backward.length;
const breakpoints = new Set<string>();
const lines = new Map<string, HTMLElement>();
const boxes = new Map<number, Element>();
let at = 0; // steps done
let shown: number | null = null; // a node looked at instead of the step's own

const node = (id: number): Node => data.nodes[id];
const back = (): Step | null => (at > forward ? data.backward[at - forward - 1] : null);
const current = (): number | null => (at === 0 ? null : (back()?.node ?? data.forward[at - 1]));
const place = (id: number): string => `${node(id).file}:${node(id).line}`;
const title = h("p", { id: "where", role: "status", "aria-live": "polite" });
const panel = h("section", { id: "panel", "aria-label": "This step" });
const slider = h("input", { type: "range", id: "time", min: "0", max: `${total}`, "aria-label": "step" }) as HTMLInputElement;

function go(to: number) {
  at = Math.max(0, Math.min(total, to));
  shown = null;
  history.replaceState(null, "", `#step=${at}`);
  draw();
}

function run(direction: 1 | -1) {
  let to = at;
  do to += direction;
  while (to > 0 && to < total && !breakpoints.has(place(to > forward ? data.backward[to - forward - 1].node : data.forward[to - 1])));
  go(to);
}

function draw() {
  const id = current();
  const step = back();
  slider.value = `${at}`;
  title.textContent = `Step ${at} of ${total}: ` + (id === null ? "before the first op"
    : step ? `backward, ${step.torch} of ${node(id).label}` : `forward, ${node(id).op} makes ${node(id).label}`);
  for (const line of lines.values()) line.classList.remove("lit");
  const lit = id === null ? undefined : lines.get(place(id));
  if (lit) {
    lit.classList.add("lit");
    const around = lit.parentElement!;
    around.scrollTop = Math.max(0, lit.offsetTop - around.clientHeight / 2);
  }
  const ran = new Set(data.forward.slice(0, Math.min(at, forward)));
  const returned = new Set(data.backward.slice(0, Math.max(0, at - forward)).map((b) => b.node));
  for (const [key, box] of boxes) {
    const done = ran.has(key) || node(key).kind !== "op";
    box.setAttribute("class", `box${done ? " done" : ""}${returned.has(key) ? " back" : ""}${key === id ? " now" : ""}`);
  }
  if (id !== null && data.places) {
    const around = document.getElementById("graph")!;
    const [x, y, wide] = data.places.boxes[id];
    around.scrollLeft = x + wide / 2 - around.clientWidth / 2;
    around.scrollTop = y - around.clientHeight / 2;
  }
  panel.replaceChildren(...(shown !== null ? describe(node(shown)) : id === null ? start() : step ? backwards(step) : describe(node(id))));
}

const heading = (text: string) => h("h3", {}, text);

function start() {
  return [h("h2", {}, data.title), ...data.notes.map((n) => h("p", {}, n)),
    h("p", {}, `${forward} ops forward, ${data.backward.length} steps back. Right and left arrows step, End runs on to the next breakpoint, Home goes back.`)];
}

function describe(n: Node): HTMLElement[] {
  const said = [n.formula, n.numbers, n.outputs.length === 1 ? brief(n.outputs[0]) : ""].filter(Boolean);
  const made = [h("h2", {}, n.label), h("p", { class: "formula" }, [...new Set([n.label, ...said])].join(" = ")),
    h("p", {}, `${n.kind === "op" ? n.op : n.kind}${n.module ? `, in ${n.module}` : ""}${n.tracked ? "" : ", no gradient flows here"}`)];
  n.outputs.forEach((v) => made.push(full(v)));
  if (n.inputs.length) made.push(heading("Computed from"), h("ul", {}, ...n.inputs.map((i) => h("li", {},
    i.from === undefined ? `${i.name}: the constant ${Array.isArray(i.constant) ? `of shape [${i.constant}]` : short(i.constant)}`
      : `${i.name}: ${node(i.from).label}`))));
  if (n.saved?.length) made.push(heading("Saved for backward"), h("ul", {}, ...n.saved.map((v) => h("li", {},
    `${v.name} [${v.shape.join(", ")}], ${v.kind}, ${v.bytes} bytes more`))), h("p", {}, `${n.kept} bytes kept so far`));
  return made;
}

function backwards(step: Step): HTMLElement[] {
  const made = [h("h2", {}, `${step.torch} of ${node(step.node).label}`)];
  if (step.kind === "leaf") made.push(heading("The gradient is complete and goes to .grad"), full(step.gradient));
  else made.push(heading("The gradient that arrives"), ...(step.arriving ?? []).map((v) => full(v)));
  for (const m of step.merges) made.push(...merged(m));
  for (const k of step.links ?? []) made.push(...linked(k));
  const freed = step.freed ?? [];
  if (freed.length) made.push(heading("Freed"), h("p", {}, freed.map(([n, b]) => `${n}: ${b} bytes`).join(", ")));
  return made;
}

function linked(k: Link): HTMLElement[] {
  const local = [k.of, k.formula, k.numbers, k.derivative === undefined ? "" : short(k.derivative)].filter(Boolean);
  return [heading(`To ${node(k.to).label}`), h("p", { class: "formula" }, [...new Set(local)].join(" = ")),
    k.product ? h("p", {}, `arriving × local = ${brief(k.product)}`) : h("p", {}, "Nothing flows this way."),
    ...((k.part ?? 1) > 1 ? [h("p", {}, `added to what is there: ${brief(k.sum)}`)] : [])];
}

function merged(m: Merge): HTMLElement[] {
  const words = Number(m.alignment) < 0.01 ? "They cancel." : `Alignment ${short(m.alignment)} (1: they agree, 0: they cancel).`;
  return [heading(`${m.parts.length} paths meet`), h("ul", {}, ...m.parts.map((p) => h("li", {},
    `from ${node(p.from).label}: ${brief(p.value)}${p.share === null ? "" : `, share ${short(p.share)}`}`))), h("p", {}, words)];
}

function code(): HTMLElement {
  const made = h("section", { id: "code", "aria-label": "Code" });
  data.files.forEach((file, f) => {
    const list = h("ol", { tabindex: "0", "aria-label": file.name });
    file.lines.forEach((text, k) => {
      const key = `${f}:${k + 1}`;
      const mark = h("button", { type: "button", "aria-pressed": "false", "aria-label": `breakpoint on line ${k + 1}` }, `${k + 1}`);
      mark.addEventListener("click", () => {
        if (!breakpoints.delete(key)) breakpoints.add(key);
        mark.setAttribute("aria-pressed", `${breakpoints.has(key)}`);
      });
      const line = h("li", {}, mark, h("code", {}, text));
      lines.set(key, line);
      list.append(line);
    });
    made.append(h("h2", {}, file.name), list);
  });
  return made;
}

function graph(): HTMLElement {
  const made = h("section", { id: "graph", "aria-label": "Graph", tabindex: "0" });
  const p = data.places;
  if (!p) {
    made.append(h("p", {}, `${data.nodes.length} nodes are too many to draw here: step through them by line.`));
    return made;
  }
  const svg = s("svg", { width: p.width, height: p.height, viewBox: `0 0 ${p.width} ${p.height}`, role: "group", "aria-label": "computation graph" });
  for (const points of p.links) {
    let d = `M${points[0]} ${points[1]}`;
    for (let k = 2; k < points.length; k += 2) d += `L${points[k]} ${points[k + 1]}`;
    svg.append(s("path", { class: "edge", d }));
  }
  p.boxes.forEach(([x, y, w, tall], k) => {
    const n = node(k);
    const value = n.outputs[0];
    const under = !value?.shape ? "" : value.numbers?.length === 1 ? short(value.numbers[0]) : `[${value.shape.join(", ")}]`;
    const g = s("g", { role: "button", tabindex: 0 });
    g.append(s("rect", { x, y, width: w, height: tall, rx: 6 }), s("text", { x: x + w / 2, y: y + 15 }, `${n.label.slice(0, 26)} `),
      s("text", { class: "small", x: x + w / 2, y: y + 30 }, under));
    const look = () => { shown = k; draw(); };
    g.addEventListener("click", look);
    g.addEventListener("keydown", (e) => { if ((e as KeyboardEvent).key === "Enter") look(); });
    boxes.set(k, g);
    svg.append(g);
  });
  made.append(svg);
  return made;
}

function modes(): HTMLElement[] {
  if (!data.modes?.rows.length) return [];
  const head = h("tr", {}, ...["d / d", "numeric difference", "symbolic", "automatic", "formula"].map((t) => h("th", { scope: "col" }, t)));
  const rows = data.modes.rows.map((r) => h("tr", {}, h("th", { scope: "row" }, r.input), ...[short(r.numeric),
    short(r.symbolic), short(r.automatic), r.formula ?? data.modes!.reason].map((t) => h("td", {}, t))));
  return [h("section", { id: "modes", "aria-label": "Three ways to the derivative" }, h("h2", {}, "Three ways to the derivative"),
    h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "table" }, h("table", {}, h("thead", {}, head), h("tbody", {}, ...rows))))];
}

function button(text: string, name: string, act: () => void) {
  const made = h("button", { type: "button", id: name }, text);
  made.addEventListener("click", act);
  return made;
}

slider.addEventListener("input", () => go(Number(slider.value)));
document.addEventListener("keydown", (e) => {
  if (e.target instanceof HTMLInputElement || e.altKey || e.ctrlKey || e.metaKey) return;
  const act = { ArrowRight: () => go(at + 1), ArrowLeft: () => go(at - 1), End: () => run(1), Home: () => run(-1) }[e.key];
  if (act) { e.preventDefault(); act(); }
});
document.getElementById("studio")!.append(
  h("header", {}, h("h1", {}, data.title), h("div", { class: "buttons" }, button("Run back", "first", () => run(-1)), button("Back", "previous", () => go(at - 1)),
    button("Step", "next", () => go(at + 1)), button("Run", "last", () => run(1)), slider), title),
  h("main", {}, code(), graph(), panel), ...modes());
go(Number(/step=(\d+)/.exec(location.hash)?.[1] ?? 0));
