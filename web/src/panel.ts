// What happens in one step, in words and numbers.
import type { Doc, Link, Merge, Node, Num, Step, Value } from "./document";
import { h, heading } from "./dom";
import { brief, full, short } from "./values";

const one = (v: Value | null | undefined) => (v?.numbers?.length === 1 ? v.numbers[0] : undefined);
const inBrackets = (x: Num) => (Number(x) < 0 ? `(${short(x)})` : short(x));
export const size = (bytes: number) => (bytes >= 1 << 20 ? `${short(Number((bytes / (1 << 20)).toPrecision(3)))} MiB` : bytes >= 10240 ? `${short(Number((bytes / 1024).toPrecision(3)))} KiB` : `${bytes} bytes`);

export function describe(data: Doc, n: Node): HTMLElement[] {
  const said = [n.formula, n.numbers, n.outputs.length === 1 ? brief(n.outputs[0]) : ""].filter(Boolean);
  const made: HTMLElement[] = [h("h2", {}, n.label), h("p", { class: "formula big" }, [...new Set([n.label, ...said])].join(" = ")),
    h("p", { class: "hint" }, `${n.kind === "op" ? n.op : n.kind}${n.module ? `, in ${n.module}` : ""}${n.tracked ? "" : ", no gradient flows here"}`)];
  n.outputs.forEach((v) => { if (one(v) === undefined) made.push(full(v)); });
  if (n.inputs.length) made.push(heading("Computed from"), h("ul", {}, ...n.inputs.map((i) => h("li", {},
    i.from === undefined ? `${i.name}: the constant ${Array.isArray(i.constant) ? `of shape [${i.constant}]` : short(i.constant)}`
      : `${i.name}: ${data.nodes[i.from].label} = ${brief(data.nodes[i.from].outputs[i.output ?? 0])}`))));
  if (n.saved?.length) made.push(heading("Saved for backward"), h("ul", {}, ...n.saved.map((v) => h("li", {},
    `${v.name} [${v.shape.join(", ")}], ${v.kind}, ${size(v.bytes)} more`))));
  else if (n.kind === "op" && n.tracked) made.push(heading("Saved for backward"), h("p", {}, "nothing"));
  if (n.kind === "op" && n.kept !== undefined) made.push(h("p", {}, `${size(n.kept)} kept so far`));
  return made;
}

export function backwards(data: Doc, step: Step): HTMLElement[] {
  const made = [h("h2", {}, `${step.torch} of ${data.nodes[step.node].label}`)];
  if (step.kind === "leaf") made.push(heading("The gradient is complete and goes to .grad"), value(step.gradient));
  else made.push(heading("The gradient that arrives"), ...(step.arriving ?? []).map((v) => value(v)));
  for (const m of step.merges) made.push(...merged(data, m));
  for (const k of step.links ?? []) made.push(linked(data, k, step));
  const freed = step.freed ?? [];
  if (step.kind !== "leaf") made.push(heading("Freed"), h("p", {}, freed.length ? freed.map(([n, b]) => `${n}: ${size(b)}`).join(", ") : "nothing"));
  return made;
}

const value = (v: Value | null | undefined) => (one(v) === undefined ? full(v) : h("p", { class: "formula big" }, brief(v)));

/** One way on: the local derivative, times what arrives, added to what is there. */
function linked(data: Doc, k: Link, step: Step): HTMLElement {
  const of = k.of.replace(/^d (.+) \/ d (.+)$/, "∂ $1 / ∂ $2");
  const local = [of, k.formula, sameText(k.formula, k.numbers) ? "" : k.numbers, k.derivative === undefined ? "" : short(k.derivative)].filter(Boolean);
  const text = [...new Set(local)].join(" = ");
  const rule = text.length < 240 ? h("p", { class: "formula" }, text)
    : h("details", {}, h("summary", { class: "formula" }, of), h("p", { class: "formula" }, text));
  const to = data.nodes[k.to].label;
  const arriving = one(step.arriving?.length === 1 ? step.arriving[0] : null);
  const product = !k.product ? "Nothing flows this way." : k.derivative !== undefined && arriving !== undefined && one(k.product) !== undefined
    ? `arriving × local = ${short(arriving)} × ${inBrackets(k.derivative)} = ${brief(k.product)}` : `arriving × local = ${brief(k.product)}`;
  return h("div", { class: "link" }, heading(`To ${to}`), rule,
    h("p", {}, product), ...(k.product ? [h("p", { class: "sum" }, added(k, to))] : []));
}

/** Whether two formulas differ in blanks and brackets alone: no number could be put in. */
const sameText = (a = "", b = "") => a.replace(/[\s()]/g, "") === b.replace(/[\s()]/g, "");

function added(k: Link, to: string): string {
  if ((k.part ?? 1) === 1) return `${to} has ${brief(k.sum)} so far: the first to arrive.`;
  const before = one(k.before), sum = one(k.sum), part = one(k.product);
  return before === undefined || sum === undefined || part === undefined ? `added to what is there: ${brief(k.sum)}`
    : `added to what is there: ${short(before)} + ${inBrackets(part)} = ${short(sum)}`;
}

function merged(data: Doc, m: Merge): HTMLElement[] {
  const alignment = Number(m.alignment);
  const words = alignment < 0.01 ? "They cancel." : alignment < 0.995 ? `They cancel in part: ${short(Number((100 * (1 - alignment)).toPrecision(3)))} % is lost (alignment ${short(Number(alignment.toPrecision(4)))}; 1: they agree, 0: they cancel).`
    : "They agree: nothing cancels (alignment 1).";
  const most = Math.max(...m.parts.map((p) => Math.abs(Number(p.norm))), 1e-300);
  return [heading(`${m.parts.length} paths meet`), h("ul", { class: "paths" }, ...m.parts.map((p) => {
    const against = p.cosine !== undefined && Number(p.cosine) < 0;
    const bar = h("span", { class: `share${against ? " against" : ""}`, style: `width:${((90 * Math.abs(Number(p.norm))) / most).toFixed(0)}px`, "aria-hidden": "true" });
    return h("li", {}, `from ${data.nodes[p.from].label}: ${brief(p.value)}${p.share === null ? "" : `, share ${percent(p.share)}`} `, bar);
  })), h("p", {}, words)];
}

const percent = (share: Num) => (typeof share === "number" ? `${short(Number((100 * share).toPrecision(4)))} %` : String(share));
