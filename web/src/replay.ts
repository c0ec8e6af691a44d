// A recorded run, without a server.
import { CodeList } from "./codelist";
import type { Doc } from "./document";
import { button, h } from "./dom";
import { LessonPanel } from "./lessons";
import { ModelView } from "./model";
import { StepView } from "./step";

const data = JSON.parse(document.getElementById("document")!.textContent!) as Doc;
const view = new StepView(new CodeList(), () => { remember(view.at); lesson.check(); });
const lesson = new LessonPanel(() => ({ doc: data, at: view.at }), new Set(), () => {});
const model = new ModelView({ doc: data });
const steps = h("div", {}, lesson.element, view.bar, h("div", { class: "columns" }, view.code.element, view.stage));
const tabs = [button("Step", "tab-step", () => open(0)), button("Model", "tab-model", () => open(1))];

/** The step in the address; inside a notebook's frame there is none. */
function remember(step: number) {
  try { history.replaceState(null, "", `#step=${step}`); } catch { /* a frame without an address of its own */ }
}

function open(which: number) {
  steps.hidden = which !== 0;
  model.element.hidden = which !== 1;
  tabs.forEach((tab, k) => tab.setAttribute("aria-current", k === which ? "page" : "false"));
  if (which) model.shown();
}

document.getElementById("studio")!.append(h("header", {}, h("h1", {}, data.title), h("nav", { "aria-label": "Views" }, ...tabs)),
  h("main", {}, steps, model.element));
view.graph.preview = !data.lesson;
if (data.lesson) lesson.show(data.lesson.number - 1, data.lesson, false);
view.show(data, Number(/step=(\d+)/.exec(location.hash)?.[1] ?? 0));
open(0);
