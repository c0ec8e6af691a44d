// Line charts and bars, as SVG that follows the page's colours.
import { s } from "./dom";
import { short } from "./values";

export interface Line { name: string; x: number[]; y: (number | string)[]; kind?: string }
export interface ChartOptions {
  label: string; lines: Line[]; marks?: { x: number; y: number; text?: string }[]; drag?: (x: number) => void;
  log?: boolean; height?: number; xName?: string;
}
const WIDE = 420, LEFT = 52, RIGHT = 8, TOP = 8, BOTTOM = 26;

function span(all: number[]): [number, number] {
  let low = Infinity, high = -Infinity;
  for (const v of all) if (Number.isFinite(v)) { low = Math.min(low, v); high = Math.max(high, v); }
  if (low > high) return [0, 1];
  return low === high ? [low - 0.5 - Math.abs(low) * 0.1, high + 0.5 + Math.abs(high) * 0.1] : [low, high];
}

function tick(v: number): string {
  const a = Math.abs(v);
  return a !== 0 && (a < 1e-3 || a >= 1e6) ? v.toExponential(1) : short(Number(v.toPrecision(3)));
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
  const shownY = (v: number) => tick(o.log ? 10 ** v : v);
  for (const [v, y] of [[y0, tall - BOTTOM], [(y0 + y1) / 2, (TOP + tall - BOTTOM) / 2], [y1, TOP]]) {
    made.append(s("line", { class: "grid", x1: LEFT, x2: WIDE - RIGHT, y1: y, y2: y }),
      s("text", { class: "tick", x: LEFT - 4, y: y + 4, "text-anchor": "end" }, shownY(v)));
  }
  made.append(s("text", { class: "tick", x: LEFT, y: tall - 8 }, short(Number(x0.toPrecision(4)))),
    s("text", { class: "tick", x: (LEFT + WIDE) / 2, y: tall - 8, "text-anchor": "middle" }, o.xName ?? ""),
    s("text", { class: "tick", x: WIDE - RIGHT, y: tall - 8, "text-anchor": "end" }, short(Number(x1.toPrecision(4)))));
  o.lines.forEach((line, k) => {
    let d = "", pen = false;
    line.x.forEach((x, i) => {
      const v = value(line.y[i]);
      if (!Number.isFinite(v)) { pen = false; return; }
      d += `${pen ? "L" : "M"}${px(x).toFixed(1)} ${Math.max(-999, Math.min(999, py(v))).toFixed(1)}`;
      pen = true;
    });
    made.append(s("path", { class: `line line${k % 6} ${line.kind ?? ""}`, d, "data-name": line.name }));
  });
  for (const m of o.marks ?? []) made.append(s("circle", { class: "mark", cx: px(m.x), cy: py(value(m.y)), r: 6 }));
  if (o.drag) follow(made, (share) => o.drag!(x0 + share * (x1 - x0)));
  return made;
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

/** Horizontal bars around a middle value: a tornado, or sizes by layer. */
export function bars(label: string, rows: { name: string; low: number; high: number; text: string }[], middle: number): SVGElement {
  const tall = 30 * rows.length + 10;
  const [x0, x1] = span([middle, ...rows.flatMap((r) => [r.low, r.high])]);
  const px = (x: number) => 96 + ((x - x0) / (x1 - x0)) * (WIDE - 104);
  const made = s("svg", { viewBox: `0 0 ${WIDE} ${tall}`, class: "chart", role: "img", "aria-label": label }) as SVGElement;
  rows.forEach((r, k) => {
    const y = 6 + 30 * k;
    made.append(s("text", { class: "tick", x: 90, y: y + 15, "text-anchor": "end" }, r.name.slice(0, 14)));
    for (const [v, kind] of [[r.low, "low"], [r.high, "high"]] as const) {
      if (!Number.isFinite(v)) continue;
      const [a, b] = [px(middle), px(v)].sort((p, q) => p - q);
      made.append(s("rect", { class: `swing ${kind}`, x: a, y, width: Math.max(1, b - a), height: 20 }));
    }
    made.append(s("text", { class: "tick", x: 98, y: y + 15 }, r.text));
  });
  made.append(s("line", { class: "grid strong", x1: px(middle), x2: px(middle), y1: 0, y2: tall }));
  return made;
}
