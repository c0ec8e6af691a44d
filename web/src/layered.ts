// Where to draw the boxes of a large graph: layers by longest path, then the order of the parents.
export interface Box { x: number; y: number; w: number; h: number; layer: number }

/** `links` are [input, box computed from it]; boxes are numbered in the order in which they ran. */
export function layered(widths: number[], links: [number, number][]): Box[] {
  const above: number[][] = widths.map(() => []);
  for (const [a, b] of links) if (a < b) above[b].push(a); // a link back in time does not count
  const layer = widths.map(() => 0);
  widths.forEach((_, k) => { for (const p of above[k]) layer[k] = Math.max(layer[k], layer[p] + 1); });
  const below: number[][] = widths.map(() => []);
  above.forEach((parents, k) => parents.forEach((p) => below[p].push(k)));
  // What nothing is computed from (parameters, data) lies just above its first user.
  widths.forEach((_, k) => { if (!above[k].length && below[k].length) layer[k] = Math.max(0, Math.min(...below[k].map((c) => layer[c])) - 1); });
  const rows: number[][] = [];
  layer.forEach((at, k) => (rows[at] ??= []).push(k));
  const boxes: Box[] = widths.map((w, k) => ({ x: 0, y: layer[k] * 78, w, h: 44, layer: layer[k] }));
  for (let sweep = 0; sweep < 3; sweep++) {
    for (const row of rows) if (row) place(row, sweep % 2 ? below : above, boxes);
  }
  return boxes;
}

/** Sort a row by the mean place of the neighbours, and keep its boxes apart around that mean. */
function place(row: number[], neighbours: number[][], boxes: Box[]) {
  const wish = new Map(row.map((k) => {
    const near = neighbours[k];
    return [k, near.length ? near.reduce((sum, p) => sum + boxes[p].x, 0) / near.length : boxes[k].x];
  }));
  row.sort((a, b) => wish.get(a)! - wish.get(b)!);
  let end = -Infinity;
  for (const k of row) {
    const left = Math.max(wish.get(k)! - boxes[k].w / 2, end + 14);
    boxes[k].x = left + boxes[k].w / 2;
    end = left + boxes[k].w;
  }
  const shift = row.reduce((sum, k) => sum + wish.get(k)! - boxes[k].x, 0) / row.length;
  for (const k of row) boxes[k].x += shift;
}
