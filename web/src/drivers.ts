// What drives a figure: sliders, the chain of every input, tornado and sweep.
import { around, bars, chart, legend } from "./charts";
import { button, field, h, numberBox, select, table } from "./dom";
import { CASCADES } from "./examples";
import type { LiveView } from "./live";
import { ask, latest, ProgramProblem } from "./server";
import { makeOwn } from "./state";
import { short } from "./values";

interface PathLink { from: string; to: string; multiplier: number; product: number; code: string; line: number }
interface Drivers {
  function: string; functions: string[]; point: Record<string, number>; warnings: string[];
  sensitivity: { output: string; value: number; notes: string[]; inputs: Record<string, { value: number; derivative: number; elasticity: number; paths: { contribution: number; links: PathLink[] }[] }> };
  tornado: { value: number; swings: { name: string; low: number; high: number; at_low: number; at_high: number; swing: number }[] };
  what_if?: { before: number; predicted: number; recomputed: number; residual: number };
  sweep?: { x: number[]; values: number[]; marginal: number[]; verdict: string; notes: string[] };
}

export class DriversView {
  readonly title = "Sensitivity";
  readonly element = h("div", { id: "drivers" });
  private base: Record<string, number> = {};
  private moved: Record<string, number> = {};
  private share = 0.1;
  private along = "";
  private range: [number, number] = [0, 1];
  private shownFor = "";
  private readonly problem = h("div", { role: "alert" });
  private readonly sliders = h("section", { "aria-label": "Inputs" });
  private readonly figure = h("section", { "aria-label": "Result", id: "figure" });
  private readonly chains = h("section", { "aria-label": "Chains", id: "chains" });
  private readonly swings = h("div", { id: "tornado" });
  private readonly sweepChoice = h("div", { class: "choices" });
  private readonly curves = h("div", { id: "sweep" });
  private fresh = false; // whether another function is to be asked next, whatever is under way
  private readonly next = latest<object>(() => this.run());

  private readonly parts: HTMLElement[];

  constructor(private readonly live: LiveView, private readonly save: () => void) {
    const examples = select("cascade", [["", "choose ..."], ...CASCADES.map((c) => [c.title, c.title] as [string, string])], "", (title) => {
      const found = CASCADES.find((c) => c.title === title);
      if (found) this.take(found.name, found.text);
    });
    this.parts = [h("div", { class: "three" }, h("div", { class: "stack" }, this.sliders, this.figure),
      h("section", { "aria-label": "Tornado" }, h("h2", {}, "Tornado"), field("each input moved by %",
        numberBox("share", this.share * 100, (v) => { this.share = v / 100; this.keep(); this.go(false); }, { min: "1", max: "100" })), this.swings, legend(["input lower", "input higher"])),
      h("section", { "aria-label": "Sweep" }, h("h2", {}, "Sweep"), this.sweepChoice, this.curves)), this.chains];
    this.element.append(h("div", { class: "choices" }, h("p", {}, "What drives the result of the program in the editor: any plain function of numbers."), field("example", examples)), this.problem, ...this.parts);
    this.empty(true);
  }

  shown() {
    const key = this.live.state.text + this.live.state.function;
    if (this.live.waits) { this.empty(true); this.problem.replaceChildren(...this.live.trust(() => this.shown())); return; }
    if (key !== this.shownFor) { this.shownFor = key; this.base = {}; this.moved = {}; this.go(true); }
  }

  /** Another state was opened. */
  opened() { this.shownFor = ""; }

  private go(fresh: boolean) {
    this.fresh ||= fresh;
    this.next({});
  }

  private empty(yes: boolean) { for (const part of this.parts) part.hidden = yes; }

  /** What was moved, for the address and files. */
  private keep() {
    const moved = Object.fromEntries(Object.entries(this.moved).filter(([n, v]) => v !== this.base[n]));
    const changed = Object.keys(moved).length || this.along !== Object.keys(this.base)[0] || this.share !== 0.1;
    this.live.state.drivers = changed ? { moved, along: this.along, share: this.share } : undefined;
    this.save();
  }

  private take(name: string, text: string) {
    Object.assign(this.live.state, { function: "", at: {}, step: 0, result: undefined, drivers: undefined });
    makeOwn(text);
    this.live.load(name, text);
    this.shown();
  }

  private async run() {
    const fresh = this.fresh;
    this.fresh = false;
    const { name, text, function: asked, at } = this.live.state;
    const point = fresh ? at : this.base;
    const changes = Object.fromEntries(Object.entries(this.moved).map(([n, v]) => [n, v - this.base[n]]).filter(([, v]) => v !== 0));
    try {
      const sweep = this.along ? { input: this.along, low: this.range[0], high: this.range[1] } : undefined;
      const got = await ask<Drivers>("drivers", { name, text, function: asked, at: point, share: this.share,
        sweep: fresh ? undefined : sweep, changes: Object.keys(changes).length ? changes : undefined });
      if (this.fresh) return; // about another function meanwhile: the next run asks it
      this.problem.replaceChildren();
      this.empty(false);
      if (fresh) {
        const { moved = {}, along = "", share } = this.live.state.drivers ?? {};
        const known = Object.entries(moved).filter(([n, v]) => n in got.point && Number.isFinite(v));
        this.base = { ...got.point };
        this.moved = { ...got.point, ...Object.fromEntries(known) };
        if (Number.isFinite(share)) this.share = share!;
        (this.element.querySelector("#share") as HTMLInputElement).value = `${Number((this.share * 100).toPrecision(6))}`;
        this.choose(along in this.base ? along : Object.keys(got.point)[0]);
        this.drawSliders(got);
        if (this.along) this.go(false);
      }
      this.draw(got);
    } catch (e) {
      if (!(e instanceof ProgramProblem)) throw e;
      if (this.fresh) return;
      this.empty(true);
      this.problem.replaceChildren(h("p", {}, "This program cannot be asked: it has to be a function of plain numbers, as an accountant would write it. Choose an example, or change the code under Step."), h("p", {}, e.message));
    }
  }

  private choose(name: string) {
    this.along = name;
    this.range = around(this.base[name], 1);
    this.sweepChoice.replaceChildren(
      field("along", select("sweep-along", Object.keys(this.base), name, (n) => { this.choose(n); this.keep(); this.go(false); })),
      field("from", numberBox("sweep-low", this.range[0], (x) => { this.range[0] = x; this.go(false); })),
      field("to", numberBox("sweep-high", this.range[1], (x) => { this.range[1] = x; this.go(false); })));
  }

  private drawSliders(got: Drivers) {
    const rows = Object.entries(this.base).map(([n, v]) => {
      const [low, high] = around(v, 1);
      const to = this.moved[n], set = (x: number) => { this.moved[n] = x; this.keep(); this.go(false); };
      const box = numberBox(`d-${n}`, to, (x) => { slide.value = `${x}`; set(x); }, { "aria-label": `${n} as a number` });
      const slide = h("input", { type: "range", min: `${low}`, max: `${high}`, step: "any", "aria-label": n, id: `ds-${n}` }) as HTMLInputElement;
      slide.value = `${to}`;
      slide.addEventListener("input", () => { box.value = `${Number(slide.valueAsNumber.toPrecision(4))}`; set(box.valueAsNumber); });
      return h("div", { class: "number" }, h("span", { class: "formula" }, n), slide, box);
    });
    this.sliders.replaceChildren(h("h2", {}, got.function), ...rows,
      h("div", { class: "buttons" }, button("Start from here", "restart", () => { this.base = { ...this.moved }; this.live.state.at = { ...this.moved }; this.keep(); this.go(false); }),
      button("Back to the start", "reset", () => { this.moved = { ...this.base }; this.keep(); this.drawSliders(got); this.go(false); })));
  }

  private draw(got: Drivers) {
    const { sensitivity: of, what_if: w } = got;
    const row = (name: string, value: string) => h("div", {}, h("dt", {}, name), " ", h("dd", {}, value));
    const facts = w ? [row("before:", short(w.before)), row("predicted:", short(w.predicted)), row("recomputed:", short(w.recomputed)), row("residual:", short(w.residual))]
      : [row(`${of.output}:`, short(of.value))];
    this.figure.replaceChildren(h("h2", {}, of.output), h("dl", { class: "figures" }, ...facts), h("p", { class: "hint" }, "Move a slider: the derivatives predict, the function answers."), ...[...of.notes, ...got.warnings].map((t) => h("p", {}, t)));
    const rows = got.tornado.swings.map((b) => ({ name: b.name, low: Number(b.at_low), high: Number(b.at_high), text: `${short(b.at_low)} … ${short(b.at_high)}` }));
    this.swings.replaceChildren(bars(`tornado of ${of.output}`, rows, Number(got.tornado.value)));
    if (got.sweep) this.drawSweep(got);
    const inputs = Object.entries(of.inputs).sort(([, a], [, b]) => Math.abs(Number(b.derivative)) - Math.abs(Number(a.derivative)));
    this.chains.replaceChildren(h("h2", {}, "From each input to the result"), h("div", { class: "grid2" }, ...inputs.map(([n, d]) => h("div", {},
      h("h3", {}, `d ${of.output} / d ${n} = ${short(d.derivative)}, elasticity ${short(d.elasticity)}`),
      ...d.paths.flatMap((p, k) => [...(d.paths.length > 1 ? [h("p", { class: "hint" }, `Path ${k + 1} of ${d.paths.length} gives ${short(p.contribution)}`)] : []), table(["link", "multiplier", "product", "line"], p.links.map((k) => [`${k.from} → ${k.to}`, short(k.multiplier), short(k.product), `${k.line}: ${k.code}`]), `path ${k + 1} from ${n}`)])))));
  }

  private drawSweep(got: Drivers) {
    const found = got.sweep!;
    this.curves.replaceChildren(chart({ label: `${got.sensitivity.output} along ${this.along}`, xName: this.along, lines: [{ name: got.sensitivity.output, x: found.x, y: found.values }] }),
      h("h3", {}, "Its slope"), chart({ label: `slope along ${this.along}`, xName: this.along, height: 120, lines: [{ name: "slope", x: found.x, y: found.marginal }] }),
      h("p", {}, sentence(found.verdict)), ...found.notes.map((t) => h("p", {}, sentence(t))));
  }
}

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
