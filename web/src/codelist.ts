// The code of a recorded run: lines to read, with breakpoints.
import type { Doc } from "./document";
import { h } from "./dom";

export interface CodePane {
  element: HTMLElement;
  breakpoints: Set<string>; // "file:line"
  light(file: string, line: number): void;
  show(doc: Doc): void;
}

export class CodeList implements CodePane {
  element = h("section", { id: "code", "aria-label": "Code" });
  breakpoints = new Set<string>();
  private lines = new Map<string, HTMLElement>();

  show(doc: Doc) {
    this.element.replaceChildren();
    this.lines.clear();
    for (const file of doc.files) {
      const list = h("ol", { tabindex: "0", "aria-label": file.name });
      file.lines.forEach((text, k) => {
        const key = `${file.name}:${k + 1}`;
        const mark = h("button", { type: "button", "aria-pressed": "false", "aria-label": `breakpoint on line ${k + 1}` }, `${k + 1}`);
        mark.addEventListener("click", () => {
          if (!this.breakpoints.delete(key)) this.breakpoints.add(key);
          mark.setAttribute("aria-pressed", `${this.breakpoints.has(key)}`);
        });
        const line = h("li", {}, mark, h("code", {}, text));
        this.lines.set(key, line);
        list.append(line);
      });
      this.element.append(h("h2", {}, file.name), list);
    }
  }

  light(file: string, line: number) {
    for (const other of this.lines.values()) other.classList.remove("lit");
    const lit = this.lines.get(`${file}:${line}`);
    if (!lit) return;
    lit.classList.add("lit");
    const around = lit.parentElement!;
    around.scrollTop = Math.max(0, lit.offsetTop - around.clientHeight / 2);
  }
}
