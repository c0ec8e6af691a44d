// Values as the page shows them.
import type { Num, Value } from "./document";
import { h, s, table } from "./dom";

/** Six digits; what is very large or small has an exponent. */
export function short(x: Num | undefined | null): string {
  if (typeof x !== "number") return x === undefined || x === null ? "–" : String(x);
  const size = Math.abs(x), six = Number(x.toPrecision(6));
  if (Number.isInteger(x) && size < 1e9) return String(x);
  return size >= 1e9 || (size !== 0 && size < 1e-4) ? six.toExponential() : String(six);
}

/** Four digits, for tables. */
export function rough(x: number): string {
  return x !== 0 && Math.abs(x) < 1e-3 ? x.toExponential(2) : short(Number(x.toPrecision(4)));
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
  if (value.numbers) return value.numbers.length ? numbers(value.shape, value.numbers) : h("p", {}, `[${value.shape.join(", ")}]: there are no numbers in it`);
  const facts: [string, string][] = [["min", short(value.min)], ["mean", short(value.mean)], ["max", short(value.max)], ["std", short(value.std)], ["norm", short(value.norm)],
    ["zeros", `${value.zeros}`], ...(value.nonfinite ? [["not finite", `${value.nonfinite}`] as [string, string]] : [])];
  const box = h("div", { class: "value" }, h("p", { class: "formula" }, `${value.dtype} [${value.shape.join(", ")}]${value.of ? `, ${value.of}` : ""}`),
    h("dl", { class: "figures small" }, ...facts.map(([name, said]) => h("div", {}, h("dt", {}, name), " ", h("dd", {}, said)))));
  if (value.histogram) box.append(histogram(value.histogram), h("p", { class: "ends" }, h("span", {}, short(Number(value.histogram.low.toPrecision(4)))), h("span", {}, short(Number(value.histogram.high.toPrecision(4))))));
  if (value.heat) box.append(heat(value.heat), h("p", { class: "hint" }, "Blue above zero, red below; each square is a mean where there are many."));
  return box;
}

function numbers(shape: number[], all: Num[]): HTMLElement {
  const columns = shape.length ? shape[shape.length - 1] || 1 : 1;
  const rows: string[][] = [];
  for (let k = 0; k < all.length; k += columns) rows.push(all.slice(k, k + columns).map(short));
  return table([], rows, "numbers");
}

export function histogram(data: { low: number; high: number; counts: number[] }, wide = 240, tall = 64): Element {
  const top = Math.max(...data.counts, 1);
  const made = s("svg", { viewBox: `0 0 ${wide} ${tall}`, width: wide, height: tall, role: "img", class: "histogram",
    "aria-label": `histogram from ${short(data.low)} to ${short(data.high)}` });
  if (data.counts.length === 1) { // all the same: one bar in the middle
    made.append(s("rect", { class: "bar", x: wide / 2 - 2, width: 4, y: 2, height: tall - 2 }));
    return made;
  }
  const each = wide / data.counts.length;
  data.counts.forEach((n, k) => made.append(s("rect", { class: "bar", x: k * each, width: Math.max(each - 1, 1),
    y: tall - 2 - ((tall - 4) * n) / top, height: ((tall - 4) * n) / top + 2 })));
  return made;
}

export function heat(data: { rows: number; columns: number; values: number[] }, name = "heat map"): Element {
  const top = Math.max(...data.values.map(Math.abs), 1e-300);
  const side = Math.max(4, Math.min(16, Math.floor(240 / data.columns)));
  const made = s("svg", { width: side * data.columns, height: side * data.rows, role: "img", class: "heat",
    "aria-label": `${name}, ${data.rows} by ${data.columns}` });
  data.values.forEach((x, k) => made.append(s("rect", { x: side * (k % data.columns), width: side, height: side,
    y: side * Math.floor(k / data.columns), fill: x < 0 ? "#c2410c" : "#1d4ed8",
    "fill-opacity": (Math.abs(x) / top).toFixed(3) })));
  return made;
}
