// The live page: its views, and what of them is kept in the address.
import { button, h } from "./dom";
import { DriversView } from "./drivers";
import { LessonsView } from "./lessons";
import { LiveView } from "./live";
import { ModelView } from "./model";
import { PlaygroundView } from "./playground";
import { openFile, read, type Start, write } from "./state";

const start = JSON.parse(document.getElementById("document")!.textContent!) as Start;
const state = read(start);
let waiting = 0;
const save = () => { clearTimeout(waiting); waiting = setTimeout(() => write(state, start), 150); };
const live = new LiveView(state, start, save);
const views: Record<string, { title: string; element: HTMLElement; shown?: () => void }> = {
  step: { title: "Step", element: live.element },
  drivers: new DriversView(live),
  model: new ModelView(live),
  playground: new PlaygroundView(start.playground, state, save, start),
  lessons: new LessonsView(start.lessons, live, (name) => open(name)),
};
const tabs = new Map<string, HTMLElement>();
const main = h("main", {});

export function open(name: string) {
  state.view = name in views ? name : "step";
  for (const [key, view] of Object.entries(views)) {
    view.element.hidden = key !== state.view;
    tabs.get(key)!.setAttribute("aria-current", key === state.view ? "page" : "false");
  }
  views[state.view].shown?.();
  save();
}

const nav = h("nav", { "aria-label": "Views" });
for (const [key, view] of Object.entries(views)) {
  const tab = button(view.title, `tab-${key}`, () => open(key));
  tabs.set(key, tab);
  nav.append(tab);
  main.append(view.element);
}
const openLesson = button("Open a file", "open", async () => {
  const found = await openFile(".json,.py");
  const made = found.name.endsWith(".json") ? JSON.parse(found.text) : { name: found.name, text: found.text };
  Object.assign(state, { function: "", at: {}, step: 0, pass: 1 }, made, { view: made.view ?? "step" });
  live.load(state.name, state.text);
  open(state.view);
});
document.getElementById("studio")!.append(h("header", {}, h("h1", {}, "chainrule studio"), nav, openLesson), main);
open(state.view);
