// Lessons: a text, a program, and tasks that look at the run to see whether they are done.
import type { Doc, Value } from "./document";
import { button, h } from "./dom";
import { norm } from "./folding";
import type { LiveView } from "./live";
import { makeOwn } from "./state";

export interface Task { kind: "number" | "reach" | "uses" | "step"; ask: string; of?: string; low?: number; high?: number; outside?: number; ops?: string[]; node?: string; way?: string }
export interface Lesson { title: string; text: string[]; program: string; tasks: Task[] }

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

export class LessonsView {
  readonly title = "Lessons";
  readonly element = h("div", { id: "lessons" });
  private readonly panel = h("section", { id: "lesson", "aria-label": "Lesson", hidden: "" });
  private current = -1;
  private done = new Set<string>();
  private rows: HTMLElement[] = [];

  constructor(private readonly lessons: Lesson[], private readonly live: LiveView, private readonly open: (view: string) => void) {
    this.done = new Set(live.state.done ?? []);
    live.element.prepend(this.panel);
    live.changed = () => this.check();
    this.list();
    if (live.state.lesson !== undefined) this.show(live.state.lesson);
  }

  shown() { this.list(); }

  private list() {
    this.element.replaceChildren(h("h2", {}, "Ten lessons"), h("ol", {}, ...this.lessons.map((lesson, k) => {
      const count = lesson.tasks.filter((_, t) => this.done.has(`${k}.${t}`)).length;
      return h("li", {}, button(lesson.title, `lesson-${k + 1}`, () => this.begin(k)), ` ${count} of ${lesson.tasks.length} tasks done`);
    })));
  }

  private begin(k: number) {
    const { live } = this;
    Object.assign(live.state, { lesson: k, function: "", at: {}, step: 0, pass: 1 });
    this.show(k);
    makeOwn(this.lessons[k].program);
    this.open("step");
    live.load("lesson.py", this.lessons[k].program);
  }

  private show(k: number) {
    const lesson = this.lessons[k];
    if (!lesson) return;
    this.current = k;
    this.rows = lesson.tasks.map((task, t) => {
      const box = h("input", { type: "text", inputmode: "decimal", id: `answer-${t}`, "aria-label": `your answer: ${task.ask}` });
      box.addEventListener("input", () => this.check());
      return h("li", { "data-done": "false" }, h("span", { class: "tick", "aria-hidden": "true" }, "○"), ` ${task.ask} `, ...(task.kind === "number" ? [box] : []), h("span", { class: "verdict", role: "status" }));
    });
    const next = button("Next lesson", "next-lesson", () => this.begin(k + 1));
    next.hidden = k + 1 >= this.lessons.length;
    this.panel.replaceChildren(h("h2", {}, `${k + 1}. ${lesson.title}`), ...lesson.text.map((t) => h("p", {}, t)), h("ol", { class: "tasks" }, ...this.rows), h("div", { class: "buttons" }, next,
      button("Leave the lesson", "leave-lesson", () => { this.current = -1; this.panel.hidden = true; delete this.live.state.lesson; })));
    this.panel.hidden = false;
    this.check();
  }

  private check() {
    const { doc, steps } = this.live;
    if (this.current < 0 || !doc) return;
    this.lessons[this.current].tasks.forEach((task, t) => {
      const row = this.rows[t], key = `${this.current}.${t}`;
      const typed = (row.querySelector("input") as HTMLInputElement | null)?.value ?? "";
      if (!this.done.has(key) && this.live.state.name === "lesson.py" && isDone(task, doc, steps.at, typed)) {
        this.done.add(key);
        this.live.state.done = [...this.done];
      }
      const done = this.done.has(key);
      row.dataset.done = `${done}`;
      row.querySelector(".tick")!.textContent = done ? "✓" : "○";
      row.querySelector(".verdict")!.textContent = done ? "done" : task.kind === "number" && typed ? "not yet" : "";
    });
  }
}
