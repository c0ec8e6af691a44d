// A recorded run, without a server.
import { CodeList } from "./codelist";
import type { Doc } from "./document";
import { button, h } from "./dom";
import { ModelView } from "./model";
import { StepView } from "./step";

const data = JSON.parse(document.getElementById("document")!.textContent!) as Doc;
const view = new StepView(new CodeList(), () => history.replaceState(null, "", `#step=${view.at}`));
const model = new ModelView({ doc: data });
const steps = h("div", {}, view.bar, view.title, view.element, view.modes);
const tabs = [button("Step", "tab-step", () => open(0)), button("Model", "tab-model", () => open(1))];

function open(which: number) {
  steps.hidden = which !== 0;
  model.element.hidden = which !== 1;
  tabs.forEach((tab, k) => tab.setAttribute("aria-current", k === which ? "page" : "false"));
  if (which) model.shown();
}

document.getElementById("studio")!.append(h("header", {}, h("h1", {}, data.title), h("nav", { "aria-label": "Views" }, ...tabs)),
  h("main", {}, steps, model.element));
view.show(data, Number(/step=(\d+)/.exec(location.hash)?.[1] ?? 0));
open(0);
