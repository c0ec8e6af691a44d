"""Kernels of an op's own formula (`ops/formulas.py`): one loop over the elements."""

from __future__ import annotations

from ....ir import operations
from ....ops.formulas import FORMULAS, Formula
from ..language.source import WAVES, kernel_of, operand, statements
from ..language.words import Kernel

# Doubles would ask the C library for some of these, element by element: NumPy is as fast.
_SINGLE = frozenset(("upper_tail", "erf", "erfc", *WAVES))


def formula_kernel(name: str) -> Kernel:
    """The kernel of a formula by its name."""
    formula = FORMULAS[name]
    if not isinstance(formula, Formula):
        from .row_formulas import row_kernel

        return row_kernel(formula)
    declaration, text = kernel_source(formula)
    return kernel_of(name, declaration, text)


def kernel_source(formula: Formula) -> tuple[str, str]:
    """The declaration and the Python text of a formula's kernel."""
    made = operations(formula.result)
    kind = "f32" if formula.single or any(e.op in _SINGLE for e in made) else "T"
    waves = any(e.op in WAVES for e in made)
    arrays, numbers = formula.arrays, formula.names[len(formula.arrays) :]
    result = "result"
    declaration = ", ".join(
        [
            *(f"{kind} {name}[*n]" for name in arrays),
            *(f"{kind} {name}" for name in numbers),
            f"out {kind} {result}[like {arrays[0]}]",
        ]
    )
    place = {id(a): f"{a.value}[i]" for e in made for a in e.args if a.op == "arg"}
    lines = [f"def written({', '.join([*formula.names, result, 'n'])}):"]
    if waves:
        lines.append(f"    far = {kind}(0.0)")
    lines.append("    for i in shared(n):")
    lines += [f"        {line}" for line in statements(made, place, kind)]
    lines.append(f"        {result}[i] = {operand(formula.result, place, kind)}")
    if waves:  # NumPy knows about large arguments, infinities and NaN
        lines += [f"    if far > {kind}(0.0):", "        return False"]
    return declaration, "\n".join(lines) + "\n"
