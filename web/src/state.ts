// What is shown, kept in the address and in files, so that it can be shared.
import type { Nested } from "./document";
import type { Lesson } from "./lessons";
import type { Settings } from "./playground";

export interface State {
  view: string; name: string; text: string; function: string; at: Record<string, Nested>; step: number; pass: number; result?: string;
  play?: unknown; lesson?: number; done?: string[]; stops?: string[];
  drivers?: { moved?: Record<string, number>; along?: string; share?: number };
}
export interface Start {
  name: string; text: string; function: string; at: Record<string, Nested>; step: number; neighbours: string[]; lesson: number;
  playground: Settings; lessons: Lesson[];
}

const LONGEST = 400_000; // of an address
const bytes = (text: string) => btoa(Array.from(new TextEncoder().encode(text), (b) => String.fromCharCode(b)).join("")).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
const text = (code: string) => new TextDecoder().decode(Uint8Array.from(atob(code.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0)));

export function fromStart(start: Start): State {
  const lesson = start.lesson >= 0 ? { lesson: start.lesson } : {};
  return { ...lesson, view: "step", name: start.name, text: start.text, function: start.function, at: start.at, step: 0, pass: start.step };
}

/** What of a file or a link is a state; the rest is left out: others may have written it. */
export function sane(found: unknown): Partial<State> {
  const given = (typeof found === "object" && found !== null ? found : {}) as Record<string, unknown>;
  const isObject = (v: unknown) => typeof v === "object" && v !== null && !Array.isArray(v);
  const isNumber = (v: unknown): boolean => Number.isFinite(v) || ["nan", "inf", "-inf"].includes(v as string) || (Array.isArray(v) && v.every(isNumber));
  const isPoint = (v: unknown) => isObject(v) && Object.values(v as object).every(isNumber); // words are not passed on to the user's functions
  const isText = (v: unknown) => typeof v === "string", isWhole = (v: unknown) => Number.isSafeInteger(v) && Number(v) >= 0;
  const kinds: Record<keyof State, (v: unknown) => boolean> = {
    view: isText, name: isText, text: isText, function: isText, at: isPoint, step: isWhole, pass: isWhole, play: isObject, lesson: isWhole, result: isText,
    done: (v) => Array.isArray(v) && v.every(isText), stops: (v) => Array.isArray(v) && v.every(isText),
    drivers: (v) => isObject(v) && isPoint((v as { moved?: unknown }).moved ?? {}),
  };
  return Object.fromEntries(Object.entries(kinds).filter(([k, fits]) => fits(given[k])).map(([k]) => [k, given[k]]));
}

export function read(start: Start): State {
  const code = /^#s=([\w-]+)$/.exec(location.hash)?.[1];
  const made = fromStart(start);
  try { return code ? { ...made, ...sane(JSON.parse(text(code))) } : made; } catch { return made; }
}

/** Only what differs from the start stands in the address; false: it is too much for one. */
export function write(state: State, start: Start): boolean {
  const base = fromStart(start) as unknown as Record<string, unknown>;
  const kept = Object.fromEntries(Object.entries(state).filter(([k, v]) => JSON.stringify(v) !== JSON.stringify(base[k])));
  const whole = JSON.stringify(kept), fits = whole.length < LONGEST;
  history.replaceState(null, "", fits && Object.keys(kept).length ? `#s=${bytes(whole)}` : location.pathname + location.search);
  return fits;
}

/** Whether this tab wrote the text itself: one that came by a link or a file waits to be read first. */
export const isOwn = (text: string, place: "own" | "own-model" = "own") => sessionStorage.getItem(place) === text;
export function makeOwn(text: string, place: "own" | "own-model" = "own") {
  try { sessionStorage.setItem(place, text); } catch { sessionStorage.removeItem(place); /* too long to be kept: it is asked about again after a reload */ }
}

/** What somebody who reads a stranger's program should know of what the eye may miss. */
export function unseen(text: string): string {
  const lines = text.split("\n"), longest = Math.max(...lines.map((l) => l.length));
  const hidden = /[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/.test(text) ? " It has characters that cannot be seen, or that turn the direction of what follows." : "";
  return `It has ${lines.length.toLocaleString("en")} lines${longest > 120 ? `, the longest of ${longest.toLocaleString("en")} characters` : ""}.${hidden}`;
}

export function download(name: string, content: string, kind = "application/json") {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type: kind }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

export async function openFile(accept: string): Promise<{ name: string; text: string }> {
  const input = document.createElement("input");
  input.type = "file";
  input.accept = accept;
  input.hidden = true;
  document.querySelectorAll("input[type=file]").forEach((old) => old.remove());
  document.body.append(input);
  return new Promise((done) => {
    input.addEventListener("change", async () => {
      const f = input.files?.[0];
      input.remove();
      if (f) done({ name: f.name, text: await f.text() });
    });
    input.click();
  });
}
