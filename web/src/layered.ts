// Where to draw the boxes of a large graph: layers by longest path, links led between the boxes.
export interface Box { x: number; y: number; w: number; h: number; layer: number }
export interface Layout { boxes: Box[]; bends: number[][] } // per link the x and y of its points on the way

const LAYER = 78, TALL = 44, GAP = 14, LANE = 10, SWEEPS = 5;
const LONGEST = 60; // layers that a link is led through; one over more is drawn in one bow
const MOST_BENDS = 20000; // of all links together

/** `links` are [input, box computed from it]; boxes are numbered in the order in which they ran. */
export function layered(widths: number[], links: [number, number][]): Layout {
  const layer = layersOf(widths.length, links);
  const boxes: Box[] = widths.map((w, k) => ({ x: 0, y: layer[k] * LAYER, w, h: TALL, layer: layer[k] }));
  const chains = links.map(([a, b]) => chained(a, b, boxes));
  const above: number[][] = boxes.map(() => []), below: number[][] = boxes.map(() => []);
  chains.forEach((chain) => chain.slice(1).forEach((b, k) => { above[b].push(chain[k]); below[chain[k]].push(b); }));
  const rows: number[][] = [];
  boxes.forEach((b, k) => (rows[b.layer] ??= []).push(k));
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const down = sweep % 2 === 0;
    for (let k = 0; k < rows.length; k++) place(rows[down ? k : rows.length - 1 - k] ?? [], down ? above : below, down ? below : above, above, boxes);
  }
  const bends = chains.map((chain) => chain.slice(1, -1).flatMap((k) => [boxes[k].x, boxes[k].y, boxes[k].x, boxes[k].y + TALL]));
  return { boxes: boxes.slice(0, widths.length), bends };
}

function layersOf(count: number, links: [number, number][]): number[] {
  const above: number[][] = Array.from({ length: count }, () => []), below: number[][] = Array.from({ length: count }, () => []);
  for (const [a, b] of links) if (a < b) { above[b].push(a); below[a].push(b); } // a link back in time does not count
  const layer = new Array<number>(count).fill(0);
  above.forEach((parents, k) => { for (const p of parents) layer[k] = Math.max(layer[k], layer[p] + 1); });
  // What nothing is computed from (parameters, data) lies just above its first user.
  above.forEach((parents, k) => { if (!parents.length && below[k].length) layer[k] = Math.max(0, Math.min(...below[k].map((c) => layer[c])) - 1); });
  return layer;
}

/** A link as neighbours in adjacent layers: a narrow lane is kept free for it beside the boxes of each. */
function chained(a: number, b: number, boxes: Box[]): number[] {
  const from = boxes[a].layer, to = boxes[b].layer, made = [a];
  if (to - from > LONGEST || boxes.length > MOST_BENDS) return from < to ? [a, b] : [];
  for (let at = from + 1; at < to; at++) {
    made.push(boxes.length);
    boxes.push({ x: 0, y: at * LAYER, w: LANE, h: TALL, layer: at });
  }
  return from < to ? [...made, b] : [];
}

/** Sort a row by the mean place of its neighbours; then the places nearest to these means that keep order and gaps. */
function place(row: number[], near: number[][], far: number[][], above: number[][], boxes: Box[]) {
  const free = (k: number) => !above[k].length; // parameters and data: they make room for the rest
  const wish = new Map(row.map((k) => {
    const all = near[k].length ? near[k] : far[k], bound = all.filter((p) => !free(p)), known = bound.length ? bound : all;
    return [k, known.length ? known.reduce((sum, p) => sum + boxes[p].x, 0) / known.length : boxes[k].x];
  }));
  row.sort((a, b) => wish.get(a)! - wish.get(b)!);
  const offsets: number[] = [], pools: { mean: number; weight: number; count: number }[] = []; // those in each other's way move together
  row.forEach((k, n) => {
    offsets.push(n ? offsets[n - 1] + (boxes[row[n - 1]].w + boxes[k].w) / 2 + GAP : 0);
    let pool = { mean: wish.get(k)! - offsets[n], weight: free(k) ? 0.02 : 1, count: 1 };
    while (pools.length && pools[pools.length - 1].mean > pool.mean) {
      const other = pools.pop()!, weight = other.weight + pool.weight;
      pool = { mean: (other.mean * other.weight + pool.mean * pool.weight) / weight, weight, count: other.count + pool.count };
    }
    pools.push(pool);
  });
  let n = 0;
  for (const { mean, count } of pools) for (let k = 0; k < count; k++, n++) boxes[row[n]].x = mean + offsets[n];
}
