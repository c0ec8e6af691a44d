// Elements, and the small controls that every view uses.
export type Child = string | Node;

export function h(tag: string, attributes: Record<string, string> = {}, ...children: Child[]) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

export function s(tag: string, attributes: Record<string, string | number>, text = "") {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, `${value}`);
  if (text) made.textContent = text;
  return made;
}

export function button(text: string, id: string, act: () => void, more: Record<string, string> = {}) {
  const made = h("button", { type: "button", ...(id ? { id } : {}), ...more }, text) as HTMLButtonElement;
  made.addEventListener("click", act);
  return made;
}

/** A labelled control: `<label>text <control></label>`. */
export function field(text: string, control: HTMLElement): HTMLElement {
  return h("label", { class: "field" }, h("span", {}, text), control);
}

export function select(id: string, options: [string, string][] | string[], value: string, act: (v: string) => void) {
  const made = h("select", { id }) as HTMLSelectElement;
  for (const o of options) {
    const [key, text] = typeof o === "string" ? [o, o] : o;
    made.append(h("option", { value: key }, text));
  }
  made.value = value;
  made.addEventListener("change", () => act(made.value));
  return made;
}

export function numberBox(id: string, value: number, act: (v: number) => void, more: Record<string, string> = {}) {
  const made = h("input", { type: "number", id, step: "any", value: `${value}`, ...more }) as HTMLInputElement;
  made.addEventListener("input", () => { if (made.value !== "" && Number.isFinite(made.valueAsNumber)) act(made.valueAsNumber); });
  return made;
}

export const heading = (text: string) => h("h3", {}, text);

/** A table of texts, that scrolls by itself where it is wider than its place; on a phone each cell bears its column's name. */
export function table(head: string[], rows: Child[][], label: string): HTMLElement {
  const body = rows.map((row) => h("tr", {}, ...row.map((cell, k) => (k || !head.length ? h("td", head[k] ? { "data-head": head[k] } : {}, cell) : h("th", { scope: "row" }, cell)))));
  const top = head.length ? [h("thead", {}, h("tr", {}, ...head.map((t) => h("th", { scope: "col" }, t))))] : [];
  return h("div", { class: head.length ? "scroll headed" : "scroll", tabindex: "0", role: "group", "aria-label": label }, h("table", {}, ...top, h("tbody", {}, ...body)));
}
