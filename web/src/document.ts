// The document that Python wrote; src/chainrule/studio/README.md describes it.
import type { Lesson } from "./lessons";

export type Num = number | string | boolean;
export interface Value {
  shape?: number[]; dtype?: string; numbers?: Num[]; min?: number; max?: number; mean?: number;
  std?: number; norm?: Num; of?: string; zeros?: number; nonfinite?: number;
  histogram?: { low: number; high: number; counts: number[] };
  heat?: { rows: number; columns: number; values: number[] };
}
export interface Node {
  id: number; kind: string; op: string; name: string; label: string; file: number; line: number;
  module: string; tracked: boolean; outputs: Value[]; formula?: string; numbers?: string;
  inputs: { name: string; from?: number; output?: number; constant?: Num | number[] }[];
  micros?: number; maps?: { count: number; lead: number[]; rows: number; columns: number; values: number[][] };
  saved?: { name: string; shape: number[]; kind: string; bytes: number }[]; kept?: number;
}
export interface Link {
  to: number; of: string; formula?: string; numbers?: string; derivative?: Num; product?: Value;
  sum?: Value; before?: Value; part?: number;
}
export interface Merge {
  parts: { from: number; share: Num | null; norm: Num; cosine?: Num; value: Value }[]; alignment: Num;
}
export interface Step {
  kind: string; node: number; torch: string; arriving?: (Value | null)[]; links?: Link[];
  gradient?: Value | null; merges: Merge[]; freed?: [string, number][];
}
export interface Row { input: string; numeric: Num; automatic: Num; symbolic?: Num; formula?: string; differs?: boolean }
export type Nested = number | string | Nested[]; // "nan" is a number too
export interface Prediction { from?: Num; predicted?: Num; recomputed?: Num; residual?: Num; parts?: Record<string, Num> }
export interface Doc {
  title: string; files: { name: string; lines: string[] }[]; nodes: Node[]; forward: number[];
  backward: Step[]; notes: string[]; modes?: { rows: Row[]; reason: string };
  function?: string; functions?: string[]; results?: string[]; result?: string; step?: number; printed?: string; prediction?: Prediction;
  inputs?: { name: string; node: number; shape: number[]; value: Nested }[];
  output?: { node: number; output: number }; lesson?: Omit<Lesson, "program"> & { number: number };
  places?: { width: number; height: number; boxes: number[][]; links: number[][] };
}
