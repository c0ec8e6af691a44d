"""The three ways to a derivative beside each other: by differences, by formula, automatically."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..autograd.modes import no_grad
from ..derivatives.meaning import NoFormula
from ..derivatives.numeric import best_step, finite_difference
from ..random import fork_rng
from .values import number

MOST_ENTRIES = 32  # numbers that are moved one by one
MOST_RUNS = 40_000  # ops run in all for the numeric differences
LONGEST_FORMULA = 400  # characters


def modes(
    f: Callable[..., Any], inputs: Mapping[str, Any], gradients: Mapping[str, Any], ops: int
) -> dict[str, Any]:
    """Rows of one input entry each: the three derivatives; or the reason why there are none."""
    entries = sum(int(t._a.size) for t in inputs.values())
    if not entries:
        return {"rows": [], "reason": "the function has no inputs to move"}
    if entries > MOST_ENTRIES:
        return {"rows": [], "reason": f"{entries:,} numbers are too many to move one by one"}
    if 2 * entries * ops > MOST_RUNS:
        return {"rows": [], "reason": f"{2 * entries} runs of {ops:,} ops would take too long"}
    numeric = _numeric(f, inputs)
    formula, formulas, reason = _symbolic(f, inputs)
    rows = []
    for name, t in inputs.items():
        g = gradients.get(name)
        for k, index in enumerate(np.ndindex(t._a.shape)):
            automatic = 0.0 if g is None else g.reshape(-1)[k]
            row = {
                "input": name + "".join(f"[{i}]" for i in index),
                "numeric": number(numeric[name].reshape(-1)[k]), "automatic": number(automatic),
            }  # fmt: skip
            if not index and name in formulas:
                row["formula"], row["symbolic"] = formulas[name]
            rows.append(row)
    return {"rows": rows, "reason": reason, "formula": formula, "step": best_step("central")}


def _numeric(f: Callable[..., Any], inputs: Mapping[str, Any]) -> dict[str, np.ndarray]:
    names = list(inputs)

    def total(*values: Any) -> Any:
        with no_grad(), fork_rng():  # the same random draws in every run
            result = f(**dict(zip(names, values, strict=True)))
        return result.sum()

    with np.errstate(all="ignore"):
        found = finite_difference(total, tuple(np.array(t._a) for t in inputs.values()))
    return {n: np.asarray(d) for n, d in zip(names, found, strict=True)}


def _symbolic(
    f: Callable[..., Any], inputs: Mapping[str, Any]
) -> tuple[str, dict[str, tuple[str, Any]], str]:
    """(the formula, per input its derivative as text and value, why there is none)."""
    from ..derivatives.formula import symbolic

    if any(t._a.ndim for t in inputs.values()):
        return "", {}, "a formula is written for single numbers; an input is a tensor"
    try:
        whole = symbolic(f, *inputs)
        point = {n: float(t._a) for n, t in inputs.items()}
        with np.errstate(all="ignore"):
            made = {n: (_short(d), number(d(**point))) for n, d in whole.gradient().items()}
        return _short(whole), made, ""
    except (NoFormula, TypeError, ValueError, RuntimeError, AttributeError) as problem:
        return "", {}, f"no formula: {str(problem).splitlines()[0]}"


def _short(formula: Any) -> str:
    text = str(formula)
    return text if len(text) <= LONGEST_FORMULA else f"{text[:LONGEST_FORMULA]} ..."


__all__ = ["modes"]
