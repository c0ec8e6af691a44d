// Lessons: a text, a program, and tasks that look at the run to see whether they are done.
import type { Doc, Value } from "./document";
import { h } from "./dom";
import { norm } from "./folding";

export interface Task { kind: "number" | "reach" | "uses" | "step"; ask: string; of?: string; low?: number; high?: number; outside?: number; ops?: string[]; node?: string; way?: string }
export interface Lesson { title: string; about: string; text: string[]; program: string; tasks: Task[] }
export interface Run { doc: Doc | null; at: number }

const first = (v?: Value | null, index = 0): number | undefined => {
  const found = v?.numbers?.[index];
  return found === undefined ? (v ? norm(v) : undefined) : Number(found);
};

/** A figure of the run by its name; undefined where the run has none. */
export function figure(doc: Doc, of: string): number | undefined {
  const [, kind, name = "", index = "0"] = /^(\w+)(?::([^[]+)(?:\[(\d+)\])?)?$/.exec(of) ?? [];
  const id = doc.nodes.find((n) => n.name === name || n.label === name)?.id;
  const leaf = doc.backward.find((b) => b.kind === "leaf" && b.node === id);
  const step = doc.backward.find((b) => b.node === id);
  switch (kind) {
    case "output": return first(doc.nodes[doc.output!.node].outputs[doc.output!.output]);
    case "grad": return leaf ? first(leaf.gradient, Number(index)) : id === undefined ? undefined : 0;
    case "value": return id === undefined ? undefined : first(doc.nodes[id].outputs[0]);
    case "arriving": return first(step?.arriving?.[0]);
    case "paths": return step ? step.merges[0]?.parts.length ?? 1 : undefined;
    case "kept": return Math.max(0, ...doc.nodes.map((n) => n.kept ?? 0));
    case "residual": return doc.prediction?.residual === undefined ? undefined : Number(doc.prediction.residual);
    case "forward": return doc.forward.length;
    case "backward": return doc.backward.length;
    default: return undefined;
  }
}

export function isDone(task: Task, doc: Doc, at: number, typed: string): boolean {
  const forward = doc.forward.length;
  if (task.kind === "uses") return doc.nodes.some((n) => task.ops!.includes(n.op));
  if (task.kind === "step") {
    const here = at === 0 ? undefined : at > forward ? doc.backward[at - forward - 1].node : doc.forward[at - 1];
    const node = here === undefined ? undefined : doc.nodes[here];
    return (node?.name === task.node || node?.label === task.node) && (at > forward) === (task.way === "backward");
  }
  const truth = figure(doc, task.of!);
  if (truth === undefined || !Number.isFinite(truth)) return false;
  if (task.kind === "number") return typed.trim() !== "" && Math.abs(Number(typed.replace(",", ".")) - truth) <= 2e-3 * Math.max(1, Math.abs(truth));
  if (task.outside !== undefined) return Math.abs(truth) > task.outside;
  return truth >= task.low! && truth <= task.high!;
}

/** Text and tasks of one lesson; `done` holds what is done, as "lesson.task". */
export class LessonPanel {
  readonly element = h("section", { id: "lesson", "aria-label": "Lesson", hidden: "" });
  number = -1; // from 0 on
  private tasks: Task[] = [];
  private rows: HTMLElement[] = [];

  constructor(private readonly run: () => Run, public done: Set<string>, private readonly finished: () => void) {}

  /** `live`: numbers and code can be changed here. */
  show(number: number, lesson: Omit<Lesson, "program">, live: boolean, ...buttons: HTMLElement[]) {
    this.number = number;
    this.tasks = lesson.tasks;
    this.rows = lesson.tasks.map((task, t) => {
      const box = h("input", { type: "text", inputmode: "decimal", id: `answer-${t}`, "aria-label": `your answer: ${task.ask}` });
      box.addEventListener("input", () => this.check());
      const later = !live && (task.kind === "reach" || task.kind === "uses") ? [h("span", { class: "hint" }, " (in the live page)")] : [];
      return h("li", { "data-done": "false" }, h("span", { class: "tick", "aria-hidden": "true" }, "○"), ` ${task.ask} `, ...(task.kind === "number" ? [box] : []), ...later, h("span", { class: "verdict", role: "status" }));
    });
    this.element.replaceChildren(h("h2", {}, `${number + 1}. ${lesson.title}`), h("div", { class: "lesson" }, h("div", {}, ...lesson.text.map((t) => h("p", {}, t))),
      h("ol", { class: "tasks" }, ...this.rows)), ...(buttons.length ? [h("div", { class: "buttons" }, ...buttons)] : []));
    this.element.hidden = false;
    this.check();
  }

  leave() {
    this.number = -1;
    this.element.hidden = true;
  }

  check() {
    const { doc, at } = this.run();
    if (this.number < 0 || !doc) return;
    this.tasks.forEach((task, t) => {
      const row = this.rows[t], key = `${this.number}.${t}`;
      const typed = (row.querySelector("input") as HTMLInputElement | null)?.value ?? "";
      if (!this.done.has(key) && isDone(task, doc, at, typed)) {
        this.done.add(key);
        this.finished();
      }
      const done = this.done.has(key);
      row.dataset.done = `${done}`;
      row.querySelector(".tick")!.textContent = done ? "✓" : "○";
      row.querySelector(".verdict")!.textContent = done ? "done" : task.kind === "number" && typed ? "not yet" : "";
    });
  }
}
