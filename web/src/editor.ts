// The code as it is edited, with breakpoints and the line of the present step.
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { python } from "@codemirror/lang-python";
import { bracketMatching, defaultHighlightStyle, HighlightStyle, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { EditorState, RangeSet, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, gutter, GutterMarker, highlightSpecialChars, keymap, lineNumbers } from "@codemirror/view";
import type { CodePane } from "./codelist";
import type { Doc } from "./document";
import { h } from "./dom";

const lightUp = StateEffect.define<number>(); // a line, 0 for none
const goWrong = StateEffect.define<number>();
const toggle = StateEffect.define<number>(); // position of a line's start

function marked(effect: typeof lightUp, name: string) {
  const look = Decoration.line({ class: name });
  return StateField.define<DecorationSet>({
    create: () => Decoration.none,
    update(old, change) {
      let made = old.map(change.changes);
      for (const e of change.effects) if (e.is(effect)) {
        const there = e.value > 0 && e.value <= change.state.doc.lines;
        made = there ? Decoration.set([look.range(change.state.doc.line(e.value).from)]) : Decoration.none;
      }
      return made;
    },
    provide: (f) => EditorView.decorations.from(f),
  });
}

class Dot extends GutterMarker {
  override toDOM() { return document.createTextNode("●"); }
}
const dot = new Dot();
const stops = StateField.define<RangeSet<GutterMarker>>({
  create: () => RangeSet.empty,
  update(old, change) {
    let made = old.map(change.changes);
    for (const e of change.effects) if (e.is(toggle)) {
      let there = false;
      made.between(e.value, e.value, () => { there = true; });
      made = made.update(there ? { filter: (from) => from !== e.value } : { add: [dot.range(e.value)] });
    }
    return made;
  },
});

export class Editor implements CodePane {
  element: HTMLElement;
  view: EditorView;
  name = "program.py";
  private readonly title = h("h2", {}, this.name);
  private quiet = false;

  constructor(changed: () => void) {
    const place = h("div", { class: "editor" });
    this.view = new EditorView({ parent: place, state: EditorState.create({ doc: "", extensions: [
      stops, gutter({ class: "stops", renderEmptyElements: true, markers: (v) => v.state.field(stops), initialSpacer: () => dot,
        domEventHandlers: { mousedown: (v, line) => { v.dispatch({ effects: toggle.of(line.from) }); return true; } } }),
      lineNumbers(), highlightSpecialChars(), history(), bracketMatching(), python(), indentUnit.of("    "), marked(lightUp, "lit"), marked(goWrong, "wrong"),
      syntaxHighlighting(colours), syntaxHighlighting(defaultHighlightStyle, { fallback: true }),
      keymap.of([{ key: "F9", run: (v) => { v.dispatch({ effects: toggle.of(v.state.doc.lineAt(v.state.selection.main.head).from) }); return true; } },
        { key: "Escape", run: (v) => { v.contentDOM.blur(); return true; } }, ...defaultKeymap, ...historyKeymap, indentWithTab]),
      EditorView.contentAttributes.of({ tabindex: "0", "aria-label": "code; F9 sets a breakpoint, Escape leaves" }),
      EditorView.updateListener.of((u) => { if (u.docChanged && !this.quiet) changed(); }),
    ] }) });
    this.element = h("section", { id: "code", "aria-label": "Code" }, this.title, place);
  }

  get text() { return this.view.state.doc.toString(); }
  setText(name: string, text: string) {
    this.name = name;
    this.title.textContent = name;
    this.quiet = true;
    if (text !== this.text) this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
    this.quiet = false;
  }

  get breakpoints(): Set<string> {
    const found = new Set<string>();
    const { doc } = this.view.state;
    this.view.state.field(stops).between(0, doc.length, (from) => { found.add(`${this.name}:${doc.lineAt(from).number}`); });
    return found;
  }

  show(_doc: Doc) { this.wrong(0); }
  light(file: string, line: number) {
    const here = file === this.name ? line : 0;
    const effects: StateEffect<unknown>[] = [lightUp.of(here)];
    if (here > 0 && here <= this.view.state.doc.lines && !this.view.hasFocus)
      effects.push(EditorView.scrollIntoView(this.view.state.doc.line(here).from, { y: "nearest" }));
    this.view.dispatch({ effects });
  }
  wrong(line: number) { this.view.dispatch({ effects: goWrong.of(line) }); }
}

import { tags } from "@lezer/highlight";
// Only what keeps its contrast on both papers; the page's own colours do the rest.
const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.bool, tags.null], class: "tok-keyword" },
  { tag: [tags.string], class: "tok-string" }, { tag: [tags.number], class: "tok-number" },
  { tag: [tags.comment], class: "tok-comment" },
  { tag: [tags.name, tags.operator, tags.punctuation, tags.definition(tags.name)], class: "tok-name" },
]);
