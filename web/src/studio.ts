// The live page: its views, and what of them is kept in the address.
import { button, h } from "./dom";
import { DriversView } from "./drivers";
import { LessonsView } from "./lessonlist";
import { LiveView } from "./live";
import { ModelView } from "./model";
import { PlaygroundView } from "./playground";
import { ask } from "./server";
import { download, openFile, read, sane, type Start, type State, write } from "./state";

const start = JSON.parse(document.getElementById("document")!.textContent!) as Start;
const state = read(start);
let waiting = 0;
const large = h("p", { id: "too-large", class: "hint", role: "status", hidden: "" }, "What is shown is too large for an address, and is lost when the page is loaded again: Save keeps it in a file.");
const save = () => { clearTimeout(waiting); waiting = setTimeout(() => { large.hidden = write(state, start); }, 150); };
const live = new LiveView(state, start, save);
const views: Record<string, { title: string; element: HTMLElement; shown?: () => void; opened?: () => void }> = {
  step: { title: "Step", element: live.element },
  drivers: new DriversView(live, save),
  model: new ModelView(live),
  playground: new PlaygroundView(start.playground, state, save),
  lessons: new LessonsView(start.lessons, live, (name) => open(name)),
};
const tabs = new Map<string, HTMLElement>();
const main = h("main", {});

export function open(name: string) {
  state.view = Object.hasOwn(views, name) ? name : "step";
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
const said = h("div", { role: "alert", id: "said" });
const tell = (text: string) => said.replaceChildren(...(text ? [h("p", {}, text)] : []));

async function openAny() {
  const found = await openFile(".json,.py");
  tell("");
  let made: Partial<State> = { name: found.name, text: found.text };
  if (found.name.endsWith(".json")) {
    try { made = sane(JSON.parse(found.text)); } catch { made = {}; }
    if (made.text === undefined) { tell(`${found.name} holds no lesson of the studio: open a file that "Save file" wrote, or a Python file.`); return; }
  }
  for (const key of ["lesson", "done", "play", "stops", "drivers", "result"] as const) delete state[key];
  Object.assign(state, { function: "", at: {}, step: 0, pass: 1 }, made, { view: made.view ?? "step" });
  live.steps.stops = new Set(state.stops ?? []);
  live.load(state.name, state.text);
  for (const view of Object.values(views)) view.opened?.();
  open(state.view);
}

async function record() {
  tell("");
  if (live.waits) { tell("The program has not run: read it, then run it."); return; }
  const { name, text, at, pass, lesson } = state;
  try {
    const made = await ask<{ page: string }>("record", { name, text, at, function: state.function, step: pass, result: state.result ?? "", lesson: lesson === undefined ? 0 : lesson + 1 });
    download("lesson.html", made.page, "text/html");
  } catch (e) { tell(e instanceof Error ? e.message : String(e)); }
}

/** Larger type, for a projector: kept by this browser. */
const SIZES = [100, 125, 150, 200];
const setType = (size: number) => { document.documentElement.style.fontSize = SIZES.includes(size) ? `${size}%` : ""; };
function enlarge() {
  const next = SIZES[(SIZES.indexOf(Number(localStorage.getItem("type")) || 100) + 1) % SIZES.length];
  localStorage.setItem("type", `${next}`);
  setType(next);
  views[state.view].shown?.();
}
setType(Number(localStorage.getItem("type")));

const files = h("div", { class: "files" }, button("A+", "type", enlarge, { "aria-label": "A+, larger type", title: "Larger type, for a projector; from the largest back to the usual" }), button("Open", "open", () => void openAny(), { "aria-label": "Open file", title: "Open a lesson that was saved, or a Python file" }),
  button("Save", "save", () => download("lesson.json", JSON.stringify({ studio: 1, ...state }, null, 1)), { "aria-label": "Save file", title: "Save what is shown as a file that Open reads" }),
  button("Save page", "record", () => void record(), { title: "Save the run as one page that needs no server" }));
document.getElementById("studio")!.append(h("header", {}, h("h1", {}, "chainrule studio"), nav, files), said, large, main);
open(state.view);
