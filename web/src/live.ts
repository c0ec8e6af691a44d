// Step through the program of the editor; change a number or the code, and everything follows.
import { around, chart } from "./charts";
import type { Doc, Nested } from "./document";
import { button, field, h, numberBox, select } from "./dom";
import { Editor } from "./editor";
import { ask, latest, ProgramProblem } from "./server";
import { isOwn, makeOwn, type Start, type State, unseen } from "./state";
import { StepView } from "./step";
import { short } from "./values";

interface Curve { along: string; x: number[]; values: (number | string)[]; slopes: (number | string)[]; here: { x: number; value: number; slope: number } }
interface Entry { name: string; path: number[]; value: number; word: string } // a word where it is no finite number

const entriesOf = (name: string, value: Nested, path: number[] = []): Entry[] => Array.isArray(value)
  ? value.flatMap((v, k) => entriesOf(name, v, [...path, k])) : [typeof value === "string" ? { name, path, value: 0, word: value } : { name, path, value, word: "" }];
const FIRST = 16; // numbers that are listed without being asked for
const label = (e: Entry) => e.name + e.path.map((k) => `[${k}]`).join("");

export class LiveView {
  readonly element: HTMLElement;
  readonly steps: StepView;
  readonly editor: Editor;
  doc: Doc | null = null;
  changed: () => void = () => {}; // told after every run and step
  loaded: (name: string) => void = () => {}; // told when another file is opened
  waits = false; // a program that others wrote, until somebody has read it
  private base: Record<string, Nested> = {}; // where predictions start
  private functions: string[] = []; // of the program, as its last run without an error knew them
  private everyNumber = false; // whether all of many numbers are listed
  private along = "";
  private range: [number, number] | null = null;
  private readonly problem = h("div", { id: "problem", role: "alert" });
  private readonly choices = h("div", { class: "choices" });
  private readonly numbers = h("div", { id: "numbers" });
  private readonly foretold = h("div", { id: "prediction", role: "status", "aria-live": "polite" });
  private readonly plot = h("div", { id: "plot" });
  private readonly printed = h("pre", { id: "printed", hidden: "", tabindex: "0", "aria-label": "printed by the program" });
  private readonly run: (given: { keepNumbers?: boolean }) => void;
  private readonly drawCurve: (given: object) => void;
  private sliders = new Map<string, { box: HTMLInputElement; slide: HTMLInputElement }>();

  constructor(readonly state: State, private readonly start: Start, private readonly save: () => void) {
    this.editor = new Editor(() => this.edited());
    this.steps = new StepView(this.editor, () => {
      Object.assign(this.state, { step: this.steps.at, stops: this.steps.stops.size ? [...this.steps.stops] : undefined });
      this.changed();
      this.save();
    });
    this.steps.stops = new Set(state.stops ?? []);
    this.run = latest((g) => this.runNow(g.keepNumbers ?? false));
    this.drawCurve = latest(() => this.curveNow());
    const change = h("section", { id: "change", "aria-label": "Change a number" }, h("h2", {}, "Change a number"), this.numbers, this.foretold, this.plot);
    this.element = h("div", {}, this.problem, h("div", { class: "toolbar" }, this.choices, this.steps.bar),
      h("div", { class: "columns" }, h("div", { class: "stack left" }, this.editor.element, this.printed, change), this.steps.stage));
    this.load(state.name, state.text);
  }

  load(name: string, text: string) {
    this.editor.setText(name, text);
    this.state.name = name;
    this.state.text = text;
    this.loaded(name);
    this.functions = [];
    this.begin("Running the program …");
    this.drawChoices();
    const ours = text === this.start.text || this.start.lessons.some((l) => l.program === text);
    this.waits = !ours && !isOwn(text);
    if (this.waits) {
      this.steps.title.textContent = "The program has not run.";
      this.problem.replaceChildren(...this.trust(() => {}));
    } else this.run({});
  }

  /** Another program or function: nothing of the one before stays. */
  private begin(said: string) {
    this.base = {};
    this.doc = null;
    this.along = "";
    this.range = null;
    this.everyNumber = false;
    this.steps.clear(said);
    for (const part of [this.problem, this.numbers, this.foretold, this.plot]) part.replaceChildren();
    delete this.plot.dataset.of;
    this.print();
  }

  /** What is said of a program that others wrote, and the button that lets it run. */
  trust(then: () => void): HTMLElement[] {
    return [h("p", {}, "This program came by a link or a file. Read it first: it runs with your rights. " + unseen(this.state.text)), button("Run this program", "trust", () => {
      makeOwn(this.state.text);
      this.waits = false;
      this.problem.replaceChildren();
      this.run({});
      then();
    })];
  }

  private edited() {
    this.state.text = this.editor.text;
    this.save();
    if (this.waits) return; // also its edited form has to be let run
    makeOwn(this.state.text);
    this.run({});
  }

  private async runNow(keepNumbers: boolean) {
    if (this.waits) return;
    this.element.setAttribute("aria-busy", "true");
    const slow = setTimeout(() => { this.steps.title.textContent = "Running the program …"; }, 400);
    const { name, text, at, pass, function: asked } = this.state;
    const left = () => this.state.text !== text || this.state.name !== name || this.state.function !== asked; // edited meanwhile: the next run has it
    try {
      const doc = await ask<Doc>("trace", { text, name, function: asked, at, step: pass, base: this.base, result: this.state.result ?? "" });
      if (left()) return;
      this.functions = doc.functions ?? [];
      const first = this.doc === null || this.doc.function !== doc.function;
      this.doc = doc;
      this.problem.replaceChildren();
      this.state.function = doc.function ?? "";
      if (this.state.at === at) // else a number was moved meanwhile: the next run has it
        this.state.at = Object.fromEntries((doc.inputs ?? []).map((i) => [i.name, i.value]));
      if (!Object.keys(this.base).length) this.base = structuredClone(this.state.at);
      this.steps.show(doc, first ? this.state.step : this.steps.at);
      if (!keepNumbers) { this.drawChoices(); this.drawNumbers(); }
      this.tell();
      this.changed();
      this.drawCurve({});
    } catch (e) {
      if (!(e instanceof ProgramProblem)) throw e;
      if (left()) return;
      if (!this.functions.length) { this.functions = [...text.matchAll(/^def ([^\W\d_]\w*)/gmu)].map((m) => m[1]); this.drawChoices(); }
      this.problem.replaceChildren(h("p", {}, e.facts.line ? `Line ${e.facts.line}: ${e.message}` : e.message));
      this.editor.wrong(e.facts.line);
      this.print(e.facts.printed);
      this.steps.title.textContent = this.doc ? "What is shown is the last run without an error." : "There is no run to show.";
    } finally { clearTimeout(slow); this.element.removeAttribute("aria-busy"); }
  }

  private tell() {
    const p = this.doc?.prediction;
    const output = this.doc?.output ? this.doc.nodes[this.doc.output.node].label : "";
    this.print(this.doc?.printed);
    if (p?.predicted === undefined) { this.foretold.replaceChildren(); return; }
    const row = (name: string, value: string, id = "") => h("div", id ? { id } : {}, h("dt", {}, name), " ", h("dd", {}, value));
    this.foretold.replaceChildren(h("dl", { class: "figures" }, row(`${output} at the start:`, short(p.from)), row("predicted by the derivatives:", short(p.predicted), "predicted"),
      row("recomputed:", short(p.recomputed), "recomputed"), row("missed by", short(p.residual), "missed")));
  }

  private print(text?: string) {
    this.printed.hidden = !text;
    this.printed.textContent = text ?? "";
  }

  private drawChoices() {
    const { state } = this;
    const files = [...new Set([state.name, ...this.start.neighbours])];
    const parts: HTMLElement[] = [field("File", select("file", files, state.name, async (name) => {
      try {
        const found = await ask<{ name: string; text: string }>("open", { name });
        makeOwn(found.text);
        Object.assign(state, { function: "", at: {}, step: 0, pass: 1, result: undefined });
        this.load(found.name, found.text);
      } catch (e) { this.drawChoices(); this.problem.replaceChildren(h("p", {}, e instanceof Error ? e.message : String(e))); }
    }))];
    if (this.functions.length) parts.push(field("Function", select("function", this.functions, this.doc?.function ?? state.function, (name) => {
      Object.assign(state, { function: name, at: {}, step: 0, result: undefined });
      this.begin("Running the program …");
      this.run({});
    })));
    if ((this.doc?.results?.length ?? 0) > 1) parts.push(field("Result", select("result", this.doc!.results!, this.doc!.result ?? "", (name) => {
      state.result = name;
      this.base = {};
      this.save();
      this.run({});
    })));
    if (this.doc && !this.doc.function) parts.push(field("Backward pass", numberBox("pass", state.pass, (n) => { state.pass = Math.max(1, Math.round(n)); this.run({}); }, { min: "1", step: "1" })));
    parts.push(button("Stop", "stop", () => void ask("stop"), { "aria-label": "Stop the program", title: "Stop the program" }));
    this.choices.replaceChildren(...parts);
  }

  private drawNumbers() {
    const entries = (this.doc?.inputs ?? []).flatMap((i) => entriesOf(i.name, i.value));
    this.sliders.clear();
    if (!entries.length) { this.numbers.replaceChildren(h("p", { class: "hint" }, "This run has no numbers of its own to move: edit the code.")); return; }
    const listed = this.everyNumber ? entries : entries.slice(0, FIRST);
    const all = button(`Show all ${entries.length} numbers`, "all-numbers", () => { this.everyNumber = true; this.drawNumbers(); this.numbers.querySelectorAll("input")[2 * FIRST].focus(); });
    this.numbers.replaceChildren(...listed.map((e) => this.row(e)), ...(listed.length < entries.length ? [all] : []), button("Predict from here", "rebase", () => { this.base = structuredClone(this.state.at); this.run({ keepNumbers: true }); }));
  }

  private row(e: Entry): HTMLElement {
    const [low, high] = around(e.value, 2, 2);
    const box = numberBox(`n-${label(e)}`, e.value, (v) => { slide.value = `${v}`; this.set(e, v); }, { "aria-label": `${label(e)} as a number` });
    const slide = h("input", { type: "range", min: `${low}`, max: `${high}`, step: "any", value: `${e.value}`, "aria-label": label(e), id: `s-${label(e)}` }) as HTMLInputElement;
    slide.value = `${e.value}`;
    if (e.word) { box.value = ""; box.placeholder = e.word; }
    slide.addEventListener("input", () => { box.value = `${Number(slide.valueAsNumber.toPrecision(4))}`; this.set(e, box.valueAsNumber); });
    this.sliders.set(label(e), { box, slide });
    return h("div", { class: "number" }, h("span", { class: "formula" }, label(e)), slide, box);
  }

  set(e: { name: string; path: number[] }, value: number) {
    const at = structuredClone(this.state.at);
    if (!e.path.length) at[e.name] = value;
    else {
      let inner = at[e.name] as Nested[];
      for (const k of e.path.slice(0, -1)) inner = inner[k] as Nested[];
      inner[e.path[e.path.length - 1]] = value;
    }
    this.state.at = at;
    this.save();
    this.run({ keepNumbers: true });
  }

  private async curveNow() {
    const entries = (this.doc?.inputs ?? []).flatMap((i) => entriesOf(i.name, i.value));
    if (!this.doc?.function || !entries.length) { this.plot.replaceChildren(); delete this.plot.dataset.of; return; }
    const e = entries.find((x) => label(x) === this.along) ?? entries[0];
    if (label(e) !== this.along || !this.range || e.value < this.range[0] || e.value > this.range[1]) this.range = around(e.value, 2, 2);
    this.along = label(e);
    try {
      const { name, text, at } = this.state, { function: of, result = "" } = this.doc;
      const got = await ask<Curve>("curve", { name, text, at, function: of, result, along: this.along, low: this.range[0], high: this.range[1] });
      if (this.state.text === text && this.state.name === name && this.doc?.function === of && (this.doc.result ?? "") === result && this.along === got.along) this.drawPlot(got, e, entries);
    } catch (problem) {
      if (!(problem instanceof ProgramProblem)) throw problem;
      this.plot.replaceChildren();
      delete this.plot.dataset.of;
    }
  }

  private drawPlot(got: Curve, e: Entry, entries: Entry[]) {
    const { here } = got;
    const tangent = { name: "tangent", kind: "tangent", x: [got.x[0], got.x[got.x.length - 1]], y: [got.x[0], got.x[got.x.length - 1]].map((x) => here.value + here.slope * (x - here.x)) };
    const output = this.doc!.function!;
    const drawn = chart({ height: 170, label: `${output} along ${got.along}, with its tangent at ${short(here.x)}`, xName: got.along,
      lines: [{ name: output, x: got.x, y: got.values }, tangent], marks: [{ x: here.x, y: here.value }],
      drag: (x) => {
        const v = Number(x.toPrecision(4));
        const known = this.sliders.get(got.along);
        if (known) { known.box.value = `${v}`; known.slide.value = `${v}`; }
        this.set(e, v);
      } });
    const names = entries.map(label), of = [output, got.along, ...names].join(" ");
    const choice = field(`${output} along`, select("along", names, got.along, (v) => { this.along = v; this.range = null; this.drawCurve({}); }));
    const words = h("p", { class: "formula", id: "slope" }, `d ${output} / d ${got.along} = ${short(here.slope)} at ${short(here.x)}`);
    const old = this.plot.querySelector("svg");
    if (old && this.plot.dataset.of === of) { // keep the element that is being dragged
      old.replaceChildren(...drawn.childNodes);
      old.setAttribute("aria-label", drawn.getAttribute("aria-label")!);
      this.plot.querySelector("#slope")!.replaceWith(words);
      return;
    }
    this.plot.dataset.of = of;
    this.plot.replaceChildren(choice, drawn, words, h("p", { class: "hint" }, "Drag in the plot to move the number."));
  }
}
