"""The three ways to a derivative beside each other: by differences, by formula, automatically."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..derivatives.numeric import best_step, finite_difference
from ..random import fork_rng, set_rng_state
from .asked import unheard
from .values import number

MOST_ENTRIES = 32  # numbers that are moved one by one
MOST_RUNS = 40_000  # ops run in all for the numeric differences
MOST_READ = 600  # ops of a function whose formula is written
LONGEST_FORMULA = 400  # characters


def modes(
    f: Callable[..., Any], inputs: Mapping[str, Any], gradients: Mapping[str, Any], ops: int,
    draws: Any,
) -> dict[str, Any]:  # fmt: skip
    """Rows of one input entry each: the three derivatives; or the reason why there are none.

    `draws` is the state of the random numbers that the run began with.
    """
    entries = sum(int(t._a.size) for t in inputs.values())
    if not entries:
        return {"rows": [], "reason": "the function has no inputs to move"}
    if entries > MOST_ENTRIES:
        return {"rows": [], "reason": f"{entries:,} numbers are too many to move one by one"}
    if 2 * entries * ops > MOST_RUNS:
        return {"rows": [], "reason": f"{2 * entries} runs of {ops:,} ops would take too long"}
    with unheard():
        try:
            numeric = _numeric(f, inputs, draws)
        except Exception as problem:  # of the user's code, asked in another way than it was run
            return {"rows": [], "reason": f"moved a little, it fails: {_first_line(problem)}"}
        formula, formulas, reason = _symbolic(f, inputs, draws, ops)
    rows = []
    for name, t in inputs.items():
        g = gradients.get(name)
        for k, index in enumerate(np.ndindex(t._a.shape)):
            automatic = 0.0 if g is None else g.reshape(-1)[k]
            row = {
                "input": name + "".join(f"[{i}]" for i in index),
                "numeric": number(numeric[name].reshape(-1)[k]), "automatic": number(automatic),
            }  # fmt: skip
            if _differ(row["numeric"], automatic, t._a.dtype):
                row["differs"] = True
            if not index and name in formulas:
                row["formula"], row["symbolic"] = formulas[name]
            rows.append(row)
    return {"rows": rows, "reason": reason, "formula": formula, "step": best_step("central")}


def _differ(numeric: Any, automatic: float, dtype: np.dtype) -> bool:
    """Whether more than the rounding of a difference lies between them."""
    if isinstance(numeric, str) or not np.isfinite(automatic):
        return False
    rounding = 1e-5 if dtype == np.float64 else 1e-2
    return abs(numeric - automatic) > rounding * max(1.0, abs(automatic))


def _numeric(f: Callable[..., Any], inputs: Mapping[str, Any], draws: Any) -> dict[str, np.ndarray]:
    names = list(inputs)

    def total(*values: Any) -> Any:
        with fork_rng():
            set_rng_state(draws)  # the same random draws in every run
            result = f(**{n: v.requires_grad_() for n, v in zip(names, values, strict=True)})
        return result.detach().sum()

    with np.errstate(all="ignore"):
        found = finite_difference(total, tuple(np.array(t._a) for t in inputs.values()))
    return {n: np.asarray(d) for n, d in zip(names, found, strict=True)}


def _symbolic(
    f: Callable[..., Any], inputs: Mapping[str, Any], draws: Any, ops: int
) -> tuple[str, dict[str, tuple[str, Any]], str]:
    """(the formula, per input its derivative as text and value, why there is none)."""
    from ..derivatives.formula import symbolic

    if any(t._a.ndim for t in inputs.values()):
        return "", {}, "a formula is written for single numbers; an input is a tensor"
    if ops > MOST_READ:
        return "", {}, f"a formula of {ops:,} ops is too long to be read"
    try:
        point = {n: float(t._a) for n, t in inputs.items()}
        with np.errstate(all="ignore"), fork_rng():
            set_rng_state(draws)
            whole = symbolic(f, *inputs, at=point)  # a branch is taken as at this point
            made = {n: (_short(d), number(d(**point))) for n, d in whole.gradient().items()}
        return _short(whole), made, "; ".join(whole.notes)
    except Exception as problem:
        return "", {}, f"no formula: {_first_line(problem)}"


def _first_line(problem: BaseException) -> str:
    return (str(problem).splitlines() or [type(problem).__name__])[0]


def _short(formula: Any) -> str:
    text = str(formula)
    return text if len(text) <= LONGEST_FORMULA else f"{text[:LONGEST_FORMULA]} ..."


__all__ = ["modes"]
