// Values as the page shows them.
import type { Num, Value } from "./document";

export function h(tag: string, attributes: Record<string, string> = {}, ...children: (string | Node)[]) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

export function s(tag: string, attributes: Record<string, string | number>, text = "") {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, `${value}`);
  made.textContent = text;
  return made;
}

export function short(x: Num | undefined | null): string {
  if (typeof x !== "number") return x === undefined || x === null ? "–" : String(x);
  return Number.isInteger(x) && Math.abs(x) < 1e9 ? String(x) : String(Number(x.toPrecision(6)));
}

export function brief(value: Value | null | undefined): string {
  if (!value || !value.shape) return "not kept";
  if (value.numbers && value.numbers.length === 1) return short(value.numbers[0]);
  const size = `[${value.shape.join(", ")}]`;
  if (value.numbers && value.numbers.length <= 6) return `${size} ${value.numbers.map(short).join(", ")}`;
  return value.norm === undefined ? size : `${size} norm ${short(value.norm)}`;
}

export function full(value: Value | null | undefined): HTMLElement {
  if (!value || !value.shape) return h("p", {}, "Nobody kept this value.");
  if (value.numbers) return table(value.shape, value.numbers);
  const box = h("div");
  box.append(h("p", {}, `${value.dtype} [${value.shape.join(", ")}]: min ${short(value.min)}, mean `
    + `${short(value.mean)}, max ${short(value.max)}, std ${short(value.std)}, norm ${short(value.norm)}; `
    + `${value.zeros} zeros, ${value.nonfinite} not finite`));
  if (value.histogram) box.append(histogram(value.histogram));
  if (value.heat) box.append(heat(value.heat));
  return box;
}

function table(shape: number[], numbers: Num[]): HTMLElement {
  const columns = shape.length ? shape[shape.length - 1] || 1 : 1;
  const body = h("tbody");
  for (let k = 0; k < numbers.length; k += columns)
    body.append(h("tr", {}, ...numbers.slice(k, k + columns).map((x) => h("td", {}, short(x)))));
  return h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "numbers" }, h("table", {}, body));
}

function histogram(data: { low: number; high: number; counts: number[] }): Element {
  const top = Math.max(...data.counts, 1);
  const made = s("svg", { viewBox: "0 0 240 64", width: 240, height: 64, role: "img",
    "aria-label": `histogram from ${short(data.low)} to ${short(data.high)}` });
  const wide = 240 / data.counts.length;
  data.counts.forEach((n, k) => made.append(s("rect", { class: "bar", x: k * wide, width: Math.max(wide - 1, 1),
    y: 62 - (60 * n) / top, height: (60 * n) / top + 2 })));
  return made;
}

function heat(data: { rows: number; columns: number; values: number[] }): Element {
  const top = Math.max(...data.values.map(Math.abs), 1e-300);
  const side = Math.max(4, Math.min(16, Math.floor(240 / data.columns)));
  const made = s("svg", { width: side * data.columns, height: side * data.rows, role: "img",
    "aria-label": `heat map, ${data.rows} by ${data.columns}` });
  data.values.forEach((x, k) => made.append(s("rect", { x: side * (k % data.columns), width: side, height: side,
    y: side * Math.floor(k / data.columns), fill: x < 0 ? "#c2410c" : "#1d4ed8",
    "fill-opacity": (Math.abs(x) / top).toFixed(3) })));
  return made;
}
