// Line charts and bars, as SVG that follows the page's colours.
import { s } from "./dom";
import { short } from "./values";

export interface Line { name: string; x: number[]; y: (number | string)[]; kind?: string }
export interface ChartOptions {
  label: string; lines: Line[]; marks?: { x: number; y: number; text?: string }[]; drag?: (x: number) => void;
  log?: boolean; height?: number; xName?: string; small?: boolean;
  none?: string; // said where there is no finite number to draw
}
const WIDE = 420, LEFT = 60, RIGHT = 12, TOP = 10, BOTTOM = 36;

const LARGEST = 8e307; // the width of a span is a number too
const within = (v: number) => Math.max(-LARGEST, Math.min(LARGEST, v));

/** Where a slider or a plot around a number begins and ends. */
export function around(v: number, least: number, times = 1): [number, number] {
  const reach = Math.max(least, times * Math.abs(v));
  return [within(v - reach), within(v + reach)];
}

function span(all: number[]): [number, number] {
  let low = Infinity, high = -Infinity;
  for (const v of all) if (Number.isFinite(v)) { low = Math.min(low, within(v)); high = Math.max(high, within(v)); }
  if (low > high) return [0, 1];
  return low === high ? [low - 0.5 - Math.abs(low) * 0.1, high + 0.5 + Math.abs(high) * 0.1] : [low, high];
}

function tick(v: number): string {
  const a = Math.abs(v);
  return a !== 0 && (a < 1e-3 || a >= 1e6) ? String(Number(v.toPrecision(3)).toExponential()) : short(Number(v.toPrecision(6)));
}

/** Round numbers inside of a span, about `count` of them. */
export function ticks(low: number, high: number, count: number): number[] {
  const rough = (high - low) / count, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((m) => m >= rough * 0.999)!;
  const made: number[] = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k++) made.push(Number((k * step).toPrecision(12)));
  return made;
}

/** Powers of ten inside of a span of exponents; of a short span also their doubles and fives. */
function decades(low: number, high: number): number[] {
  const whole = high - low > 6 ? ticks(low, high, 4).filter(Number.isInteger) : ticks(low, high, Math.max(1, Math.floor(high - low))).filter(Number.isInteger);
  if (whole.length >= 2) return whole;
  const between: number[] = [];
  for (let k = Math.floor(low); k <= high; k++) for (const m of [1, 2, 5]) between.push(k + Math.log10(m));
  const inside = between.filter((v) => v >= low && v <= high);
  return inside.length >= 2 ? inside : [low, high];
}

export function chart(o: ChartOptions): SVGElement {
  const tall = o.height ?? 200;
  const value = (y: number | string) => { const v = Number(y); return o.log ? (v > 0 ? Math.log10(v) : NaN) : v; };
  const solid = o.lines.filter((l) => l.kind !== "tangent");
  const [x0, x1] = span(solid.flatMap((l) => l.x));
  const [y0, y1] = span([...solid.flatMap((l) => l.y.map(value)), ...(o.marks ?? []).map((m) => value(m.y))]);
  const px = (x: number) => LEFT + ((x - x0) / (x1 - x0)) * (WIDE - LEFT - RIGHT);
  const py = (y: number) => TOP + (1 - (y - y0) / (y1 - y0)) * (tall - TOP - BOTTOM);
  const made = s("svg", { viewBox: `0 0 ${WIDE} ${tall}`, class: "chart", role: "img", "aria-label": o.label }) as SVGElement;
  const empty = ![...solid.flatMap((l) => l.y), ...(o.marks ?? []).map((m) => m.y)].some((y) => Number.isFinite(value(y)));
  if (empty) made.append(s("text", { class: "none", x: (LEFT + WIDE - RIGHT) / 2, y: (tall - BOTTOM + TOP) / 2 }, o.none ?? "no finite number here"));
  for (const v of empty ? [] : o.log ? decades(y0, y1) : ticks(y0, y1, tall > 150 ? 4 : 3)) {
    made.append(s("line", { class: "grid", x1: LEFT, x2: WIDE - RIGHT, y1: py(v), y2: py(v) }),
      s("text", { class: "tick", x: LEFT - 6, y: py(v) + 4, "text-anchor": "end" }, tick(o.log ? Number((10 ** v).toPrecision(3)) : v)));
  }
  const counted = solid.every((l) => l.x.every(Number.isInteger)); // steps have no halves
  for (const v of ticks(x0, x1, 4).filter((v) => !counted || Number.isInteger(v))) {
    made.append(s("line", { class: "grid", x1: px(v), x2: px(v), y1: tall - BOTTOM, y2: tall - BOTTOM + 4 }),
      s("text", { class: "tick", x: Math.min(px(v), WIDE - 4.5 * tick(v).length), y: tall - BOTTOM + 16, "text-anchor": "middle" }, tick(v)));
  }
  made.append(s("line", { class: "axis", x1: LEFT, x2: WIDE - RIGHT, y1: tall - BOTTOM, y2: tall - BOTTOM }),
    s("text", { class: "tick", x: WIDE - RIGHT, y: tall - 2, "text-anchor": "end" }, o.xName ?? ""));
  const dot = (x: number, y: number, small: boolean) => { if (Number.isFinite(x) && Number.isFinite(y)) made.append(s("circle", { class: `mark${small ? " small" : ""}`, cx: px(x), cy: py(y), r: small ? 3 : 6 })); };
  const clip = `c${++clips}`;
  const inside = s("clipPath", { id: clip });
  inside.append(s("rect", { x: LEFT, y: TOP - 4, width: WIDE - LEFT - RIGHT, height: tall - TOP - BOTTOM + 8 }));
  made.append(inside);
  o.lines.forEach((line, k) => made.append(s("path", { class: `line line${k % 6} ${line.kind ?? ""}`, d: pathOf(line, value, px, py), "data-name": line.name, "clip-path": `url(#${clip})` })));
  for (const line of o.lines) if (line.x.length === 1) dot(line.x[0], value(line.y[0]), true); // a line of one point
  for (const m of o.marks ?? []) dot(m.x, value(m.y), o.small ?? false);
  if (o.drag) follow(made, (share) => o.drag!(x0 + share * (x1 - x0)));
  return made;
}

let clips = 0;

function pathOf(line: Line, value: (y: number | string) => number, px: (x: number) => number, py: (y: number) => number): string {
  let d = "", pen = false;
  line.x.forEach((x, i) => {
    const v = value(line.y[i]);
    if (!Number.isFinite(v)) { pen = false; return; }
    d += `${pen ? "L" : "M"}${px(x).toFixed(1)} ${Math.max(-9999, Math.min(9999, py(v))).toFixed(1)}`;
    pen = true;
  });
  return d;
}

/** Tell how far along the chart the pointer is, while it is pressed. */
function follow(made: SVGElement, act: (share: number) => void) {
  made.classList.add("draggable");
  const at = (e: PointerEvent) => {
    const box = made.getBoundingClientRect();
    const x = ((e.clientX - box.left) / box.width) * WIDE;
    act(Math.max(0, Math.min(1, (x - LEFT) / (WIDE - LEFT - RIGHT))));
  };
  made.addEventListener("pointerdown", (e) => { made.setPointerCapture(e.pointerId); at(e); });
  made.addEventListener("pointermove", (e) => { if (e.buttons & 1) at(e); });
}

export function legend(names: string[]): HTMLElement {
  const made = document.createElement("p");
  made.className = "legend";
  names.forEach((name, k) => {
    const item = document.createElement("span");
    item.className = `key key${k % 6}`;
    item.textContent = name;
    made.append(item, " ");
  });
  return made;
}

/** Horizontal bars around a middle value: what the result is at either end of every input. */
export function bars(label: string, rows: { name: string; low: number; high: number; text: string }[], middle: number): SVGElement {
  const each = 40, tall = each * rows.length + 8, from = 104;
  const [x0, x1] = span([middle, ...rows.flatMap((r) => [r.low, r.high])]);
  const px = (x: number) => from + ((x - x0) / (x1 - x0)) * (WIDE - from - 8);
  const made = s("svg", { viewBox: `0 0 ${WIDE} ${tall}`, class: "chart", role: "img", "aria-label": label }) as SVGElement;
  const words: Element[] = [];
  rows.forEach((r, k) => {
    const y = 4 + each * k;
    made.append(s("text", { class: "tick name", x: from - 8, y: y + 22, "text-anchor": "end" }, r.name.length > 14 ? `${r.name.slice(0, 13)}…` : r.name));
    for (const [v, kind] of [[r.low, "low"], [r.high, "high"]] as const) {
      if (!Number.isFinite(v) || !Number.isFinite(middle)) continue;
      const [a, b] = [px(middle), px(v)].sort((p, q) => p - q);
      made.append(s("rect", { class: `swing ${kind}`, x: a, y: y + 14, width: Math.max(1, b - a), height: 16 }));
    }
    words.push(s("text", { class: "tick over", x: (from + WIDE) / 2, y: y + 10, "text-anchor": "middle" }, r.text));
  });
  if (Number.isFinite(middle)) rows.forEach((_, k) => made.append(s("line", { class: "axis", x1: px(middle), x2: px(middle), y1: 16 + each * k, y2: 36 + each * k })));
  made.append(...words);
  return made;
}
