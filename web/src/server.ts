// Asks the server of this page; the token of the address goes with every request.
const token = new URLSearchParams(location.search).get("token") ?? "";

export interface Problem { message: string; line: number; printed?: string; stopped?: number }
export class ProgramProblem extends Error {
  constructor(readonly facts: Problem) { super(facts.message); }
}

export async function ask<T>(what: string, given: object = {}, signal?: AbortSignal): Promise<T> {
  const got = await fetch(`/api/${what}`, { method: "POST", body: JSON.stringify(given), signal,
    headers: { "Content-Type": "application/json", "X-Studio-Token": token } }).catch(() => {
    throw new ProgramProblem({ message: "The studio's server does not answer: has it been ended? Start `chainrule studio` again.", line: 0 });
  });
  if (!got.ok) throw new ProgramProblem({ message: await got.text(), line: 0 });
  const said = await got.json() as { answer?: T; problem?: Problem };
  if (said.problem) throw new ProgramProblem(said.problem);
  return said.answer as T;
}

/** Calls `act` for the latest request only: while one is under way, those between are left out. */
export function latest<A>(act: (given: A) => Promise<void>): (given: A) => void {
  let busy = false;
  let next: { given: A } | null = null;
  const go = async (given: A) => {
    busy = true;
    try { await act(given); } finally {
      busy = false;
      if (next) { const waiting = next; next = null; void go(waiting.given); }
    }
  };
  return (given) => { if (busy) next = { given }; else void go(given); };
}
