// What drives a figure: sliders, the chain of every input, tornado and sweep.
import { bars, chart } from "./charts";
import { button, field, h, numberBox, select, table } from "./dom";
import type { LiveView } from "./live";
import { ask, latest, ProgramProblem } from "./server";
import { makeOwn } from "./state";
import { short } from "./values";

const EXAMPLE = `def revenue(shortage=5.0, price=800.0, share=0.1):
    chips = 1000 - 50 * shortage
    phones = share * chips
    return price * phones - 0.01 * phones ** 2
`;

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
  private readonly go = latest<boolean>((fresh) => this.run(fresh));

  constructor(private readonly live: LiveView) {
    this.element.append(h("p", {}, "The program of the editor, asked what drives its result: any plain function of numbers."),
      this.problem, h("div", { class: "grid2" }, this.sliders, this.figure,
        h("section", { "aria-label": "Tornado" }, h("h2", {}, "Tornado"), field("each input moved by %",
          numberBox("share", this.share * 100, (v) => { this.share = v / 100; this.go(false); }, { min: "1", max: "100" })), this.swings),
        h("section", { "aria-label": "Sweep" }, h("h2", {}, "Sweep"), this.sweepChoice, this.curves)), this.chains);
  }

  shown() {
    const key = this.live.state.text + this.live.state.function;
    if (key !== this.shownFor) { this.shownFor = key; this.base = {}; this.moved = {}; this.go(true); }
  }

  private async run(fresh: boolean) {
    const { name, text, function: asked, at } = this.live.state;
    const point = fresh ? at : this.base;
    const changes = Object.fromEntries(Object.entries(this.moved).map(([n, v]) => [n, v - this.base[n]]).filter(([, v]) => v !== 0));
    try {
      const sweep = this.along ? { input: this.along, low: this.range[0], high: this.range[1] } : undefined;
      const got = await ask<Drivers>("drivers", { name, text, function: asked, at: point, share: this.share,
        sweep: fresh ? undefined : sweep, changes: Object.keys(changes).length ? changes : undefined });
      this.problem.replaceChildren();
      if (fresh) {
        this.base = { ...got.point };
        this.moved = { ...got.point };
        this.choose(Object.keys(got.point)[0]);
        this.drawSliders(got);
        if (this.along) this.go(false);
      }
      this.draw(got);
    } catch (e) {
      if (!(e instanceof ProgramProblem)) throw e;
      this.problem.replaceChildren(h("p", {}, e.message), button("Take an example", "example", () => {
        Object.assign(this.live.state, { function: "", at: {} });
        makeOwn(EXAMPLE);
        this.live.load("revenue.py", EXAMPLE);
        this.shown();
      }));
    }
  }

  private choose(name: string) {
    this.along = name;
    const v = this.base[name], reach = Math.max(1, Math.abs(v));
    this.range = [v - reach, v + reach];
    this.sweepChoice.replaceChildren(
      field("along", select("sweep-along", Object.keys(this.base), name, (n) => { this.choose(n); this.go(false); })),
      field("from", numberBox("sweep-low", this.range[0], (x) => { this.range[0] = x; this.go(false); })),
      field("to", numberBox("sweep-high", this.range[1], (x) => { this.range[1] = x; this.go(false); })));
  }

  private drawSliders(got: Drivers) {
    const rows = Object.entries(this.base).map(([n, v]) => {
      const reach = Math.max(1, Math.abs(v));
      const box = numberBox(`d-${n}`, v, (x) => { slide.value = `${x}`; this.moved[n] = x; this.go(false); }, { "aria-label": `${n} as a number` });
      const slide = h("input", { type: "range", min: `${v - reach}`, max: `${v + reach}`, step: "any", "aria-label": n, id: `ds-${n}` }) as HTMLInputElement;
      slide.value = `${v}`;
      slide.addEventListener("input", () => { box.value = `${Number(slide.valueAsNumber.toPrecision(4))}`; this.moved[n] = box.valueAsNumber; this.go(false); });
      return h("div", { class: "number" }, h("span", { class: "formula" }, n), slide, box);
    });
    this.sliders.replaceChildren(h("h2", {}, got.function), ...rows,
      button("Start from here", "restart", () => { this.base = { ...this.moved }; this.go(false); }));
  }

  private draw(got: Drivers) {
    const { sensitivity: of, what_if: w } = got;
    const lines = w ? [`before: ${short(w.before)}`, `predicted: ${short(w.predicted)}`, `recomputed: ${short(w.recomputed)}`, `residual: ${short(w.residual)}`] : [`${short(of.value)}`, "Move a slider: the derivatives predict, the function answers."];
    this.figure.replaceChildren(h("h2", {}, of.output), ...lines.map((t) => h("p", { class: "formula" }, t)), ...[...of.notes, ...got.warnings].map((t) => h("p", {}, t)));
    const rows = got.tornado.swings.map((b) => ({ name: b.name, low: Number(b.at_low), high: Number(b.at_high), text: `${short(b.at_low)} … ${short(b.at_high)}` }));
    this.swings.replaceChildren(bars(`tornado of ${of.output}`, rows, Number(got.tornado.value)));
    if (got.sweep) this.drawSweep(got);
    const inputs = Object.entries(of.inputs).sort(([, a], [, b]) => Math.abs(Number(b.derivative)) - Math.abs(Number(a.derivative)));
    this.chains.replaceChildren(h("h2", {}, "From each input to the result"), ...inputs.map(([n, d]) => h("div", {},
      h("h3", {}, `d ${of.output} / d ${n} = ${short(d.derivative)}, elasticity ${short(d.elasticity)}`),
      ...d.paths.map((p) => table(["link", "multiplier", "product", "line"], p.links.map((k) => [`${k.from} → ${k.to}`, short(k.multiplier), short(k.product), `${k.line}: ${k.code}`]), `a path from ${n}`)))));
  }

  private drawSweep(got: Drivers) {
    const found = got.sweep!;
    this.curves.replaceChildren(chart({ label: `${got.sensitivity.output} along ${this.along}`, xName: this.along, lines: [{ name: got.sensitivity.output, x: found.x, y: found.values }] }),
      h("h3", {}, "its slope"), chart({ label: `slope along ${this.along}`, xName: this.along, height: 120, lines: [{ name: "slope", x: found.x, y: found.marginal }] }),
      h("p", {}, found.verdict), ...found.notes.map((t) => h("p", {}, t)));
  }
}
