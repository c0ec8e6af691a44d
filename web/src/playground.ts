// Train a small network, in the process behind the page, and watch it.
import { chart, legend } from "./charts";
import { button, field, h, heading, numberBox, select, table } from "./dom";
import { type Boundary, boundaryCanvas, drawBoundary, unitMap } from "./pictures";
import { ask, latest, ProgramProblem } from "./server";
import { download, isOwn, makeOwn, openFile, type State, unseen } from "./state";
import { histogram, rough, short } from "./values";

type Config = Record<string, string | number | boolean | number[]>;
interface Layer { name: string; kind: string; count: number; gradient: number | string; weight: number | string; update: number | string; weights: Bins; updates: Bins }
interface Bins { low: number; high: number; counts: number[] }
interface Units { name: string; kind: string; side: number; rows: number; count: number; dead: number; saturated: number; units: { map: string; low: number; high: number; state: string }[] }
interface Finding { rule: string; severity: string; line: number; message: string; evidence: string[]; fix: string }
interface Frame {
  step: number; epoch: number; row: number; running: boolean; problem: string; config: Config; loss: number | string | null; speed: number;
  losses: { x: number[]; y: (number | string)[] }; findings: Finding[]; script: string; ended?: string; layers: Layer[]; accuracy?: number; error?: number | null;
  units?: Units[]; range?: [number, number]; points?: number[][]; boundary?: Boundary; path?: number[][]; line?: { x: number[]; y: number[] };
  classes?: string[]; versus?: { x: number[]; y: (number | string)[] }; confusion?: number[][]; times: (number | string)[]; measured: number;
  output: { scores?: number[]; probabilities?: number[]; target?: number; gradient?: number[] };
}
export interface Settings { default: Config; choices: Record<string, string[]>; presets: { name: string; about: string; config: Config; pace?: number }[] }

const NUMBERS: Record<string, [string, Record<string, string>]> = { points: ["examples", { min: "4", step: "1" }], noise: ["noise", { min: "0", step: "0.01" }], lr: ["rate", { min: "0", step: "0.01" }],
  batch: ["batch size", { min: "1", step: "1" }], seed: ["seed", { min: "0", step: "1" }], gain: ["recurrent gain", { step: "0.1" }], length: ["sequence length", { min: "2", step: "1" }] };
const CHOICES: Record<string, string> = { data: "data", activation: "activation", init: "initialization", norm: "norm", optimizer: "optimizer" };
const PACES: [string, string][] = [["0", "full speed"], ["100", "100 steps a second"], ["20", "20 steps a second"], ["5", "5 steps a second"], ["1", "1 step a second"]];

export class PlaygroundView {
  readonly title = "Playground";
  readonly element = h("div", { id: "playground" });
  private config: Config;
  private frame: Frame | null = null;
  private before: Frame | null = null;
  private top = 0; // the furthest step, to which the slider reaches
  private polling = false;
  private line: Promise<void> = Promise.resolve(); // of what was asked for
  private readonly form = h("section", { "aria-label": "Settings", id: "settings" });
  private readonly about = h("p", { id: "about" });
  private readonly problem = h("div", { role: "alert" });
  private readonly status = h("p", { id: "progress", role: "status" });
  private readonly canvas = boundaryCanvas("boundary");
  private readonly oldCanvas = boundaryCanvas("boundary-before", 200);
  private readonly compared = h("section", { "aria-label": "The run before", id: "before", hidden: "" });
  private readonly curve = h("div", { id: "line" });
  private readonly times = h("section", { "aria-label": "Gradient along the sequence", id: "times" });
  private readonly loss = h("div", { id: "loss" });
  private readonly units = h("section", { "aria-label": "Units", id: "units" });
  private readonly flow = h("section", { "aria-label": "Layers", id: "flow" });
  private readonly found = h("section", { "aria-label": "Doctor", id: "findings", "aria-live": "polite" });
  private readonly output = h("section", { "aria-label": "One example", id: "output" });
  private readonly slider = h("input", { type: "range", min: "0", max: "0", id: "rewind", "aria-label": "go back to step" }) as HTMLInputElement;
  private readonly runButton = button("Run", "run", () => void this.control(this.frame?.running ? "pause" : "run"), { class: "primary" });
  private readonly goBack = latest<number>(async (to) => { await this.control("rewind", to); });
  private readonly pictured = h("h2", {}, "What it predicts");
  private readonly key = h("p", { class: "hint", id: "colours" });
  private readonly stale = h("p", { id: "stale", class: "hint", role: "status" });
  private readonly preset: HTMLSelectElement;
  private readonly pace = select("pace", PACES, "0", () => { if (this.frame?.running) void this.control("run"); });

  constructor(private readonly settings: Settings, private readonly state: State, private readonly save: () => void) {
    this.config = this.given();
    this.slider.addEventListener("input", () => this.goBack(Number(this.slider.value)));
    this.preset = select("preset", [["", "choose ..."], ...settings.presets.map((p) => [p.name, p.name] as [string, string])], "", (name) => this.show(name));
    const walkers = ["example", "batch", "epoch"].map((what) => button(`One ${what}`, `one-${what}`, () => void this.control(what)));
    const bar = h("div", { class: "buttons" }, field("show a classic", this.preset), button("Start", "begin", () => void this.begin(), { title: "Start again with these settings and the same seed; the run before stays beside it" }), this.runButton, ...walkers,
      field("speed", this.pace), field("go back to step", this.slider),
      button("Export as PyTorch", "export", () => { if (this.frame) download("playground.py", this.frame.script, "text/x-python"); }, { title: "A script that gives the same numbers; the last digits are each machine's own, and a run that swings or explodes magnifies them" }),
      button("End the process", "quit", () => void this.quit()));
    this.compared.append(h("h2", {}, "The run before"), this.oldCanvas);
    const picture = h("section", { "aria-label": "Prediction", id: "picture" }, this.pictured, this.canvas, this.curve, this.key, this.times);
    this.element.append(bar, this.about, this.status, this.stale, this.problem, h("div", { class: "columns play" }, this.form,
      h("div", { class: "stack middle" }, h("div", { class: "beside" }, picture, this.compared), this.units),
      h("div", { class: "stack right" }, h("section", { "aria-label": "Loss", id: "losses" }, h("h2", {}, "Loss"), this.loss), this.found, this.flow, this.output)));
    this.drawForm();
  }

  /** The first look starts a run, so that there is something to see. */
  shown() {
    if (this.frame) void this.poll();
    else if (this.trusted()) void this.begin();
    else this.ask();
  }

  /** Another state was opened. */
  opened() {
    this.config = this.given();
    this.frame = null;
    this.about.textContent = "";
    this.preset.value = "";
    this.drawForm();
  }

  /** The settings of a link or a file, as far as they are of the kind that each has. */
  private given(): Config {
    const { default: known } = this.settings, given = (this.state.play ?? {}) as Config;
    const fits = ([k, v]: [string, Config[string]]) => Object.hasOwn(known, k) && typeof v === typeof known[k] && Array.isArray(v) === Array.isArray(known[k]);
    return { ...known, ...Object.fromEntries(Object.entries(given).filter(fits)) };
  }

  private trusted() {
    const own = String(this.config.own ?? "");
    return !own.trim() || isOwn(own, "own-model");
  }

  /** Lines for a model that came by a link or a file wait until somebody has read them. */
  private ask() {
    this.form.querySelector("details")!.setAttribute("open", "");
    this.problem.replaceChildren(h("p", {}, "The lines under Own model came by a link or a file. Read them first: they run with your rights. " + unseen(String(this.config.own))),
      button("Run these lines", "trust-model", () => { makeOwn(String(this.config.own), "own-model"); void this.begin(); }));
  }

  /** At once, whatever is asked for before it. */
  private async quit() {
    await this.attempt(async () => {
      await ask("quit-training");
      this.frame = null;
      this.runButton.textContent = "Run";
      this.status.textContent = "The process was ended. Start begins anew.";
    });
  }

  private set(name: string, value: Config[string]) {
    this.config[name] = value;
    this.state.play = { ...this.config };
    this.save();
    if (name === "data") {
      this.drawForm();
      (this.form.querySelector("#data") as HTMLElement).focus({ preventScroll: true });
    }
    this.tellStale();
  }

  /** Say which settings the present run does not have. */
  private tellStale() {
    const changed = this.frame ? this.changes(this.frame.config) : [];
    this.stale.textContent = changed.length ? `Changed: ${changed.map((k) => NUMBERS[k]?.[0] ?? CHOICES[k] ?? k).join(", ")}. Start begins again with it, and keeps this run beside the new one.` : "";
  }

  private changes(from: Config): string[] { return Object.keys(this.config).filter((k) => JSON.stringify(from[k]) !== JSON.stringify(this.config[k])); }

  /** The settings that mean something for this data. */
  private relevant(name: string): boolean {
    const { data } = this.config;
    if (name === "gain" || name === "length") return data === "first of a sequence";
    if (data === "saddle") return !["activation", "init", "norm", "layers", "residual", "points", "noise", "batch"].includes(name);
    if (data === "first of a sequence") return !["activation", "init", "norm", "residual"].includes(name);
    return data !== "csv" || !["points", "noise"].includes(name);
  }

  /** Begin one of the classics. */
  private show(name: string) {
    const found = this.settings.presets.find((p) => p.name === name);
    if (!found) return;
    this.config = { ...this.settings.default, ...found.config };
    this.state.play = { ...this.config };
    this.save();
    this.about.textContent = found.about;
    this.pace.value = `${found.pace ?? 0}`;
    this.drawForm();
    void this.begin();
  }

  private drawForm() {
    const { choices } = this.settings;
    const layers = h("input", { type: "text", id: "layers", value: (this.config.layers as number[]).join(", ") }) as HTMLInputElement;
    layers.addEventListener("input", () => this.set("layers", layers.value.split(/[\s,]+/).filter(Boolean).map((n) => Math.round(Number(n))).filter((n) => n > 0)));
    const residual = h("input", { type: "checkbox", id: "residual" }) as HTMLInputElement;
    residual.checked = Boolean(this.config.residual);
    residual.addEventListener("change", () => this.set("residual", residual.checked));
    const own = h("textarea", { id: "own", rows: "6", spellcheck: "false", "aria-label": "own code for the model" }) as HTMLTextAreaElement;
    own.value = String(this.config.own);
    own.addEventListener("input", () => this.setOwn(own.value));
    const csv = button("Open a CSV file", "csv", async () => {
      const found = await openFile(".csv,text/csv");
      this.set("csv", found.text);
      this.set("data", "csv");
      this.drawForm();
      void this.begin();
    });
    const wide = (label: string, control: HTMLElement) => h("label", { class: "wide" }, h("span", {}, label), control);
    const choose = (key: string) => select(key, choices[key], String(this.config[key]), (v) => this.set(key, v));
    const choice = (key: string) => (this.relevant(key) ? [field(CHOICES[key], choose(key))] : []);
    const number = (key: string) => (this.relevant(key) ? [field(NUMBERS[key][0], numberBox(key, Number(this.config[key]), (v) => this.set(key, v), NUMBERS[key][1]))] : []);
    const group = (name: string, ...parts: HTMLElement[]) => h("fieldset", {}, h("legend", {}, name), ...parts);
    this.form.replaceChildren(h("h2", {}, "Settings"),
      group("Data", wide("data", choose("data")), csv, ...["points", "noise", "length"].flatMap(number)),
      group("Network", ...(this.relevant("layers") ? [wide("units of each hidden layer", layers)] : []), ...["activation", "init", "norm"].flatMap(choice), ...(this.relevant("residual") ? [field("residual", residual)] : []), ...number("gain"),
        h("details", String(this.config.own ?? "").trim() ? { open: "" } : {}, h("summary", {}, "Own model"), h("p", { class: "hint" }, "Lines that make `model` and take the place of the settings above; `inputs`, `targets`, `nn` and `torch` are there, and files of the folder can be imported."),
          own, button("Begin with the present one", "own-begin", () => { const text = modelOf(this.frame?.script ?? ""); own.value = text; this.setOwn(text); }))),
      group("Training", ...choice("optimizer"), ...["lr", "batch", "seed"].flatMap(number)));
  }

  private setOwn(text: string) {
    if (this.trusted()) makeOwn(text, "own-model"); // lines of others stay untrusted however they are edited
    this.set("own", text);
  }

  private async begin() {
    if (!this.trusted()) { this.ask(); return; }
    await this.try(async () => {
      const old = this.frame;
      this.frame = null;
      const got = await ask<Frame>("play", { config: this.config });
      if (old?.step && old.config.data === this.config.data) this.compare(old);
      else if (old && old.config.data !== this.config.data) this.forget(); // runs on other data have nothing to compare
      this.top = 0;
      this.draw(got);
      void this.poll();
    });
  }

  private async control(action: string, to = 0) {
    if (!this.frame && this.trusted()) await this.begin();
    await this.try(async () => { if (!this.frame) return; this.draw(await ask<Frame>("control", { action, to, pace: Number(this.pace.value) })); void this.poll(); });
  }

  /** One after the other, as they were asked for: a run that was begun last is the one that is shown. */
  private try(act: () => Promise<void>): Promise<void> {
    const done = this.line.then(() => this.attempt(act));
    this.line = done.catch(() => {});
    return done;
  }

  private async attempt(act: () => Promise<void>) {
    try { this.problem.replaceChildren(); await act(); } catch (e) {
      if (!(e instanceof ProgramProblem)) throw e;
      this.problem.replaceChildren(h("p", {}, e.facts.line ? `Line ${e.facts.line}: ${e.message}` : e.message));
    }
  }

  private async poll() {
    if (this.polling) return;
    this.polling = true;
    let since = 0;
    try {
      while (!this.element.hidden && this.frame?.running) {
        const got = await ask<{ count: number; frame: Frame | null }>("news", { since });
        since = got.count;
        if (got.frame?.ended) { this.ended(got.frame.ended); return; }
        if (got.frame && this.frame?.running) this.draw(got.frame);
      }
    } catch (e) {
      if (!(e instanceof ProgramProblem)) throw e;
      this.problem.replaceChildren(h("p", {}, e.message));
    } finally { this.polling = false; }
  }

  /** The process is gone; what it showed last stays. */
  private ended(why: string) {
    this.frame = null;
    this.runButton.textContent = "Run";
    this.problem.replaceChildren(h("p", {}, `${why} Start begins anew.`));
  }

  private forget() {
    this.before = null;
    this.compared.hidden = true;
  }

  private compare(old: Frame) {
    this.before = old;
    const changed = this.changes(old.config);
    const said = changed.length ? changed.map((k) => `${k}: ${inWords(old.config[k])} → ${inWords(this.config[k])}`).join("; ") : "nothing changed: the numbers must be the same";
    drawBoundary(this.oldCanvas, old.boundary, old.points ?? [], old.range ?? [0, 1], old.path);
    this.oldCanvas.hidden = !old.boundary;
    this.compared.querySelector("p")?.remove();
    this.compared.append(h("p", { id: "changed" }, `Changed since: ${said}. It ended at step ${old.step} with loss ${short(old.loss)}.`));
    this.compared.hidden = false;
  }

  private draw(f: Frame) {
    this.frame = f;
    this.top = Math.max(this.top, f.step);
    this.runButton.textContent = f.running ? "Pause" : "Run";
    this.slider.max = `${this.top}`;
    if (document.activeElement !== this.slider || f.running) this.slider.value = `${f.step}`;
    const score = f.accuracy !== undefined ? `, accuracy ${short(Number(f.accuracy.toFixed(4)))}` : f.error !== undefined && f.error !== null ? `, mean squared error ${short(f.error)}` : "";
    this.status.textContent = `Epoch ${f.epoch}, step ${f.step}: loss ${short(f.loss)}${score}${f.running ? `, ${Math.round(f.speed)} steps per second` : ""}`;
    this.problem.replaceChildren(...(f.problem ? [h("p", {}, f.problem)] : []));
    this.tellStale();
    this.canvas.hidden = !f.boundary;
    if (f.boundary) drawBoundary(this.canvas, f.boundary, f.points ?? [], f.range!, f.path);
    this.canvas.setAttribute("aria-label", `decision boundary at step ${f.step}${score}`);
    this.pictured.textContent = f.path ? "The surface, and the way down" : "What it predicts";
    this.key.textContent = f.path ? "Blue is low, orange is high; the line is the way so far." : f.boundary?.classes ? "A colour and a shape per class; the paler, the less sure."
      : f.boundary ? "Blue is low, orange is high; points are coloured by their target: blue circles below 0, orange squares above." : "";
    this.drawTimes(f);
    this.drawLine(f);
    this.drawLoss(f);
    this.drawUnits(f);
    this.drawFlow(f);
    this.drawFindings(f);
    this.drawOutput(f);
  }

  private drawLine(f: Frame) {
    if (f.versus) { this.drawVersus(f.versus); return; }
    if (f.confusion) {
      const rows = f.confusion.map((row, t) => [called(f, t), ...row.map(String)]);
      this.curve.replaceChildren(h("p", { class: "hint" }, "A row per true class, a column per answer: how many examples."), table(["truth", ...f.confusion.map((_, c) => `says ${f.classes?.[c] ?? c}`)], rows, "answers by class"));
      return;
    }
    if (!f.line) { this.curve.replaceChildren(); return; }
    const marks = (f.points ?? []).slice(0, 200).map(([x, y]) => ({ x, y }));
    this.curve.replaceChildren(chart({ label: "prediction and data", lines: [{ name: "prediction", x: f.line.x, y: f.line.y }], marks, height: 260, small: true }));
  }

  /** Inputs of many numbers have no picture of their own: the answer beside the truth. */
  private drawVersus({ x, y }: { x: number[]; y: (number | string)[] }) {
    const ends = [Math.min(...x), Math.max(...x)];
    const marks = x.flatMap((t, k) => (typeof y[k] === "number" ? [{ x: t, y: y[k] as number }] : []));
    this.curve.replaceChildren(chart({ label: "answer beside the truth", lines: [{ name: "right", x: ends, y: ends }], marks, height: 240, small: true, xName: "truth" }),
      h("p", { class: "hint" }, marks.length ? "A point per example: its target across, the answer up. On the line it is right." : "No answer is a finite number."));
  }

  /** How the gradient grows or fades on its way back through a sequence. */
  private drawTimes(f: Frame) {
    if (!f.times.length) { this.times.replaceChildren(); return; }
    const x = f.times.map((_, k) => k + 1), log = f.times.every((v) => typeof v === "string" || v > 0);
    this.times.replaceChildren(h("h2", {}, "Gradient along the sequence"), chart({ label: `norm of the gradient at each step of the sequence, at step ${f.measured}`, lines: [{ name: "gradient", x, y: f.times }], log, xName: "step of the sequence", height: 150 }),
      h("p", { class: "hint" }, `Norm of the loss's gradient at the state after each step, before training step ${f.measured}${log ? ", on a logarithmic scale" : ""}. Backward reads from right to left.`));
  }

  private drawLoss(f: Frame) {
    const lines = [{ name: "now", ...f.losses }, ...(this.before ? [{ name: "before", ...this.before.losses }] : [])];
    const log = lines.every((l) => l.y.every((v) => typeof v === "string" || v > 0)); // "inf" is left out of the curve
    this.loss.replaceChildren(chart({ label: `loss up to step ${f.step}`, lines, log, xName: "step", none: f.step ? undefined : "no step yet" }), ...(this.before ? [legend(["now", "before"])] : []));
  }

  private drawUnits(f: Frame) {
    const parts = (f.units ?? []).map((layer, nr) => {
      const words = [`${layer.count} ${layer.kind} units`, layer.dead ? `${layer.dead} dead` : "", layer.saturated ? `${layer.saturated} saturated` : ""].filter(Boolean).join(", ");
      return h("div", { class: "layer" }, heading(`Hidden layer ${nr + 1}, module ${layer.name}: ${words}`), h("div", { class: "maps" }, ...layer.units.map((u, k) =>
        h("div", { class: `map ${u.state}` }, unitMap(u.map, layer.side, layer.rows, `unit ${k}${u.state ? `, ${u.state}` : ""}, from ${short(u.low)} to ${short(u.high)}`),
          ...(u.state ? [h("span", {}, u.state)] : [])))));
    });
    this.units.replaceChildren(...(parts.length ? [h("h2", {}, "What each unit sees"), h("p", { class: "hint" }, f.boundary ? "Over the same square as above. Each on its own scale: blue is its lowest value, orange its highest." : `Over ${f.line ? "the line above" : "the examples, sorted by target"}, left to right. Each on its own scale: blue is its lowest value, orange its highest.`), ...parts] : []));
  }

  private drawFlow(f: Frame) {
    if (!f.layers.length) { this.flow.replaceChildren(); return; }
    const top = Math.max(...f.layers.map((l) => Number(l.gradient) || 0), 1e-300);
    const rows = f.layers.map((l) => {
      const share = typeof l.gradient === "string" ? 1 : Math.max(0, 1 + Math.log10(Math.max(l.gradient, 1e-30) / top) / 8);
      const size = h("span", { class: "size", style: `width:${(64 * share).toFixed(0)}px` });
      return [`${l.name} ${l.kind}`, h("span", { class: "sized" }, size, ` ${tiny(l.gradient)}`), tiny(l.update), histogram(l.weights, 90, 28), histogram(l.updates, 90, 28)];
    });
    this.flow.replaceChildren(h("h2", {}, `Gradients, weights and steps by layer, at step ${f.measured}`), h("p", { class: "hint" }, "Norm of the gradient (bars on a logarithmic scale) and of the step, histograms of weights and of their steps."), table(["module", "gradient", "step", "weights", "steps"], rows, "layers"));
  }

  private drawFindings(f: Frame) {
    const key = f.findings.map((x) => x.rule + x.line).join();
    if (this.found.dataset.key === key) return;
    this.found.dataset.key = key;
    const parts = f.findings.map((x) => h("li", {}, h("strong", {}, `${x.severity}: ${x.rule}`), ` ${x.message} `, h("em", {}, x.fix)));
    this.found.replaceChildren(h("h2", {}, "The doctor"), f.findings.length ? h("ul", {}, ...parts) : h("p", {}, "nothing found so far"));
  }

  private drawOutput(f: Frame) {
    const o = f.output;
    if (!o?.scores) { this.output.replaceChildren(); return; }
    const rows = o.scores.map((v, k) => [called(f, k), ...[v, o.probabilities![k], k === o.target ? 1 : 0, o.probabilities![k] - (k === o.target ? 1 : 0), o.gradient![k]].map((x) => rough(Number(x)))]);
    this.output.replaceChildren(h("h2", {}, `One example at the output, before step ${f.measured}`), table(["", "score", "p", "t", "p − t", "gradient"], rows, "softmax and cross-entropy"));
  }
}

const called = (f: Frame, k: number) => (f.classes?.[k] === undefined ? `class ${k}` : `class ${f.classes[k]}`);
const tiny = (x: number | string) => (typeof x === "string" ? x : x.toExponential(1));
const inWords = (v: Config[string]) => (Array.isArray(v) ? v.join(", ") || "none" : typeof v === "string" && v.length > 40 ? "other lines" : String(v));

/** The lines of a script that make the model. */
function modelOf(script: string): string {
  return /torch\.manual_seed\(SEED\)\n([\s\S]*?)\nloss_function =/.exec(script)?.[1].trim() ?? "";
}
