// The list of lessons, and the one that is under way above the code.
import { button, h } from "./dom";
import { type Lesson, LessonPanel } from "./lessons";
import type { LiveView } from "./live";
import { makeOwn } from "./state";

export class LessonsView {
  readonly title = "Lessons";
  readonly element = h("div", { id: "lessons" });
  private readonly panel: LessonPanel;

  constructor(private readonly lessons: Lesson[], private readonly live: LiveView, private readonly open: (view: string) => void) {
    const { state } = live;
    // A lesson's tasks are about its own program, whatever else is opened meanwhile.
    const run = () => ({ doc: state.name === "lesson.py" ? live.doc : null, at: live.steps.at });
    this.panel = new LessonPanel(run, new Set(state.done ?? []), () => { state.done = [...this.panel.done]; });
    live.element.prepend(this.panel.element);
    live.changed = () => this.panel.check();
    live.loaded = (name) => { if (name !== "lesson.py" && state.lesson !== undefined) this.end(); };
    this.shown();
    if (state.lesson !== undefined) this.show(state.lesson);
  }

  shown() {
    this.element.replaceChildren(h("h2", {}, "Ten lessons"),
      h("p", { class: "hint" }, "From one multiplication to the backward pass of a transformer block. Each opens its program with three tasks that check themselves."),
      h("ol", { class: "cards" }, ...this.lessons.map((lesson, k) => {
        const count = lesson.tasks.filter((_, t) => this.panel.done.has(`${k}.${t}`)).length;
        return h("li", { class: count === lesson.tasks.length ? "complete" : "" }, button(`${k + 1}. ${lesson.title}`, `lesson-${k + 1}`, () => this.begin(k)),
          h("p", {}, lesson.about), h("p", { class: "hint" }, `${count} of ${lesson.tasks.length} tasks done`));
      })));
  }

  /** Another state was opened. */
  opened() {
    const { state } = this.live;
    this.panel.done = new Set(state.done ?? []);
    if (state.lesson !== undefined) this.show(state.lesson);
    else this.leave();
  }

  private begin(k: number) {
    const { live } = this;
    Object.assign(live.state, { lesson: k, function: "", at: {}, step: 0, pass: 1, result: undefined });
    makeOwn(this.lessons[k].program);
    live.load("lesson.py", this.lessons[k].program);
    this.show(k);
    this.open("step");
  }

  private show(k: number) {
    const lesson = this.lessons[k];
    if (!lesson) return;
    const next = button("Next lesson", "next-lesson", () => this.begin(k + 1));
    next.hidden = k + 1 >= this.lessons.length;
    this.panel.show(k, lesson, true, next, button("Leave the lesson", "leave-lesson", () => this.end()));
    this.live.steps.graph.preview = false; // a learner sees a value when it is computed
  }

  private end() {
    delete this.live.state.lesson;
    this.leave();
  }

  private leave() {
    this.panel.leave();
    this.live.steps.graph.preview = true;
  }
}
