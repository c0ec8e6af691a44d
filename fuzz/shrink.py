"""Make a failing program as short as it gets while it fails in the same way."""

from __future__ import annotations

import re
from collections.abc import Callable

from .generate import INPUTS, Program


def shrink(program: Program, fails: Callable[[Program], bool]) -> Program:
    """Drop lines, then replace operands by inputs, as long as the program still fails."""
    best = program
    changed = True
    while changed:
        changed = False
        for k in reversed(range(len(best.lines) - 1)):
            fewer = _with_lines(best, best.lines[:k] + best.lines[k + 1 :])
            if fails(fewer):
                best, changed = fewer, True
                break
        if changed:
            continue
        for simpler in _simpler_results(best):
            if fails(simpler):
                best, changed = simpler, True
                break
    return best


def _with_lines(program: Program, lines: list[str]) -> Program:
    return Program(lines, program.shapes, program.seed, program.complex_inputs, program.kinds)


def _simpler_results(program: Program) -> list[Program]:
    """The same program with a shorter last line: fewer terms in the result."""
    last = program.lines[-1]
    terms = last.removeprefix("out = ").split(" + ")
    if len(terms) < 2:
        return []
    made = []
    for k in range(len(terms)):
        rest = terms[:k] + terms[k + 1 :]
        made.append(_with_lines(program, [*program.lines[:-1], "out = " + " + ".join(rest)]))
    return made


def script(program: Program, way: str) -> str:
    """A script that shows the disagreement by itself."""
    used = set(re.findall(r"\bx[012]\b", program.text()))
    arrays = dict(zip(INPUTS, program.arrays(), strict=True))
    lines = [f"# {way}", "import chainrule as torch", ""]
    for name in sorted(used):
        values = arrays[name].tolist()
        lines.append(f"{name} = torch.tensor({values}).double().requires_grad_()")
    return "\n".join([*lines, *program.lines, "out.backward()"])
