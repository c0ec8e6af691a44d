// A run folded by module: what each shown box stands for, and its figures.
import type { Doc, Node, Value } from "./document";
import { short } from "./values";

export interface Figures { count: number; parameters: number; memory: number; time: number; gradient: number }
export interface Shown { key: string; label: string; under: string; node: Node | null; path: string; figures: Figures }
export interface Folded { boxes: Shown[]; links: [number, number][]; place: Map<number, number> } // of every node its box

const size = (v?: Value) => (v?.shape ?? []).reduce((a, b) => a * b, 1);
/** Infinity where it is no finite number. */
export function norm(v?: Value | null): number {
  return typeof v?.norm === "number" ? v.norm : v?.norm === undefined ? 0 : Infinity;
}

/** The module of every node; a parameter belongs to the module that its name says. */
export function modulesOf(doc: Doc): string[] {
  const known = new Set<string>();
  for (const n of doc.nodes) for (let p = n.module; p; p = p.slice(0, Math.max(0, p.lastIndexOf(".")))) known.add(p);
  const users = usersOf(doc);
  return doc.nodes.map((n) => {
    if (n.kind === "op") return n.module;
    if (n.kind !== "parameter" || !n.name?.includes(".")) return users[n.id] ?? "";
    const owner = n.name.slice(0, n.name.lastIndexOf("."));
    const inner = owner.slice(owner.indexOf(".") + 1);
    return known.has(owner) ? owner : owner.includes(".") && known.has(inner) ? inner : "";
  });
}

/** For every leaf the innermost module that all its users are in. */
function usersOf(doc: Doc): (string | undefined)[] {
  const made: (string | undefined)[] = [];
  for (const n of doc.nodes) for (const i of n.inputs) if (i.from !== undefined) {
    const before = made[i.from]?.split(".") ?? n.module.split(".");
    const now = n.module.split(".");
    const shared = before.findIndex((part, k) => part !== now[k]);
    made[i.from] = (shared < 0 ? before : before.slice(0, shared)).join(".");
  }
  return made;
}

export function figuresOf(doc: Doc): Figures[] {
  const made = doc.nodes.map((n) => ({ count: 1, parameters: n.kind === "parameter" ? size(n.outputs[0]) : 0,
    memory: (n.saved ?? []).reduce((a, s) => a + s.bytes, 0), time: n.micros ?? 0, gradient: 0 }));
  for (const step of doc.backward) made[step.node].gradient = Math.max(...(step.kind === "leaf" ? [step.gradient] : step.arriving ?? []).map(norm), 0);
  return made;
}

function add(a: Figures, b: Figures) {
  a.count += b.count; a.parameters += b.parameters; a.memory += b.memory; a.time += b.time;
  a.gradient = Math.max(a.gradient, b.gradient);
}

const parents = (path: string) => { const parts = path.split("."); return parts.map((_, k) => parts.slice(0, k + 1).join(".")); };

export function fold(doc: Doc, modules: string[], figures: Figures[], open: Set<string>): Folded {
  const order = [...doc.nodes.keys()];
  const place = new Map<number, number>();
  const boxes: Shown[] = [];
  const at = new Map<string, number>();
  const when = new Map(doc.forward.map((id, k) => [id, k]));
  const uses = firstUse(doc, when);
  order.sort((a, b) => (when.get(a) ?? uses[a] - 0.5) - (when.get(b) ?? uses[b] - 0.5));
  for (const id of order) {
    const n = doc.nodes[id];
    const closed = modules[id] ? parents(modules[id]).find((p) => !open.has(p)) : undefined;
    const key = closed ?? `#${id}`;
    let k = at.get(key);
    if (k === undefined) {
      k = boxes.length;
      at.set(key, k);
      boxes.push({ key, label: closed ?? n.label, under: "", node: closed ? null : n, path: closed ?? modules[id], figures: { count: 0, parameters: 0, memory: 0, time: 0, gradient: 0 } });
    }
    add(boxes[k].figures, figures[id]);
    const value = n.outputs[0];
    if (value?.shape && (n.kind === "op" || !boxes[k].under)) boxes[k].under = value.shape.length ? `[${value.shape.join(", ")}]` : value.numbers ? short(value.numbers[0]) : "";
    place.set(id, k);
  }
  const seen = new Set<string>();
  const links: [number, number][] = [];
  for (const n of doc.nodes) for (const i of n.inputs) if (i.from !== undefined) {
    const a = place.get(i.from)!, b = place.get(n.id)!;
    const key = `${a} ${b}`;
    if (a !== b && !seen.has(key)) { seen.add(key); links.push([a, b]); }
  }
  return { boxes, links, place };
}

/** When each leaf is first used: it is drawn there. */
function firstUse(doc: Doc, when: Map<number, number>): number[] {
  const made = doc.nodes.map(() => Infinity);
  for (const n of doc.nodes) for (const i of n.inputs) if (i.from !== undefined) made[i.from] = Math.min(made[i.from], when.get(n.id) ?? Infinity);
  return made;
}

/** Every module once, outer before inner, with the figures of all inside. */
export function tree(modules: string[], figures: Figures[]): { path: string; depth: number; figures: Figures }[] {
  const found = new Map<string, Figures>();
  modules.forEach((path, id) => { if (path) for (const p of parents(path)) {
    if (!found.has(p)) found.set(p, { count: 0, parameters: 0, memory: 0, time: 0, gradient: 0 });
    add(found.get(p)!, figures[id]);
  } });
  return [...found].map(([path, f]) => ({ path, depth: path.split(".").length - 1, figures: f }));
}
