// Decision boundaries and unit maps, on canvases.
import { h } from "./dom";

export interface Boundary { side: number; classes?: string; sure?: string; values?: string; low?: number; high?: number }
const COLOURS = [[37, 99, 235], [217, 119, 6], [5, 150, 105], [147, 51, 234], [190, 18, 60], [8, 145, 178], [101, 163, 13], [120, 113, 108], [219, 39, 119], [2, 132, 199]];

const bytes = (text: string) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));

/** Small values as pixels: blue below the middle, orange above. */
function pixels(wide: number, tall: number, colour: (k: number) => number[]): HTMLCanvasElement {
  const made = document.createElement("canvas");
  made.width = wide;
  made.height = tall;
  const image = new ImageData(wide, tall);
  for (let k = 0; k < wide * tall; k++) {
    const [r, g, b] = colour(k);
    image.data.set([r, g, b, 255], 4 * k);
  }
  made.getContext("2d")!.putImageData(image, 0, 0);
  return made;
}

const mixed = (colour: number[], share: number) => colour.map((c) => Math.round(255 + (c - 255) * share));
const diverging = (v: number) => (v < 128 ? mixed(COLOURS[0], (128 - v) / 128) : mixed(COLOURS[1], (v - 128) / 127));

export function unitMap(map: string, side: number, rows: number, label: string): HTMLCanvasElement {
  const data = bytes(map);
  const made = pixels(side, rows, (k) => diverging(data[k]));
  made.className = "unit";
  made.setAttribute("role", "img");
  made.setAttribute("aria-label", label);
  return made;
}

export function drawBoundary(on: HTMLCanvasElement, b: Boundary | undefined, points: number[][], range: [number, number], path: number[][] = []) {
  const context = on.getContext("2d")!;
  const { width, height } = on;
  context.clearRect(0, 0, width, height);
  if (b) {
    const sure = b.sure ? bytes(b.sure) : null, data = bytes(b.classes ?? b.values!);
    const small = pixels(b.side, b.side, (k) => (sure ? mixed(COLOURS[data[k] % 10], (sure[k] / 255) * 0.6) : diverging(data[k])));
    context.imageSmoothingEnabled = true;
    context.drawImage(small, 0, 0, width, height);
  }
  const at = (v: number) => ((v - range[0]) / (range[1] - range[0]));
  for (const p of points) {
    const x = at(p[0]) * width, y = (1 - at(p[1])) * height;
    const kind = b?.classes ? p[2] : p[2] > 0 ? 1 : 0;
    context.fillStyle = `rgb(${COLOURS[kind % 10]})`;
    context.strokeStyle = "#fff";
    context.lineWidth = 1;
    context.beginPath();
    if (kind % 3 === 0) context.arc(x, y, 4, 0, 7);
    else if (kind % 3 === 1) context.rect(x - 3.5, y - 3.5, 7, 7);
    else { context.moveTo(x, y - 5); context.lineTo(x + 5, y + 4); context.lineTo(x - 5, y + 4); context.closePath(); }
    context.fill();
    context.stroke();
  }
  if (path.length) {
    context.strokeStyle = "#111";
    context.lineWidth = 2;
    context.beginPath();
    path.forEach(([x, y], k) => (k ? context.lineTo(at(x) * width, (1 - at(y)) * height) : context.moveTo(at(x) * width, (1 - at(y)) * height)));
    context.stroke();
    const [x, y] = path[path.length - 1];
    context.fillStyle = "#111";
    context.beginPath();
    context.arc(at(x) * width, (1 - at(y)) * height, 6, 0, 7);
    context.fill();
  }
}

export function boundaryCanvas(id: string, size = 360): HTMLCanvasElement {
  return h("canvas", { id, width: `${size}`, height: `${size}`, class: "boundary", role: "img", "aria-label": "decision boundary" }) as HTMLCanvasElement;
}
