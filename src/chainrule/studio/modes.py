"""The three ways to a derivative beside each other: by differences, by formula, automatically."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..derivatives.numeric import best_step, finite_difference
from ..random import fork_rng, set_rng_state
from ..tensor.creation import tensor
from .asked import unheard
from .values import number

MOST_ENTRIES = 32  # numbers that are moved one by one
MOST_RUNS = 40_000  # ops run in all for the numeric differences
MOST_SECONDS = 5.0  # that they may take together
MOST_READ = 600  # ops of a function whose formula is written
LONGEST_FORMULA = 400  # characters


@dataclass(frozen=True)
class Ran:
    """What the numeric differences need to know of the run that is shown."""

    ops: int
    seconds: float
    draws: Any  # the state of the random numbers that it began with
    coarse: bool  # whether some of it was computed in less than double precision


def modes(
    f: Callable[..., Any], inputs: Mapping[str, Any], gradients: Mapping[str, Any], ran: Ran
) -> dict[str, Any]:
    """Rows of one input entry each: the three derivatives; or the reason why there are none."""
    ops = ran.ops
    entries = sum(int(t._a.size) for t in inputs.values())
    if not entries:
        return {"rows": [], "reason": "the function has no inputs to move"}
    if entries > MOST_ENTRIES:
        return {"rows": [], "reason": f"{entries:,} numbers are too many to move one by one"}
    if 2 * entries * ops > MOST_RUNS:
        return {"rows": [], "reason": f"{2 * entries} runs of {ops:,} ops would take too long"}
    if 2 * entries * ran.seconds > MOST_SECONDS:
        reason = f"{2 * entries} runs of {ran.seconds:.2g} seconds each would take too long"
        return {"rows": [], "reason": reason}
    with unheard():
        try:
            numeric = _numeric(f, inputs, ran)
        except Exception as problem:  # of the user's code, asked in another way than it was run
            return {"rows": [], "reason": f"moved a little, it fails: {_first_line(problem)}"}
        formula, formulas, reason = _symbolic(f, inputs, ran)
    rows = []
    for name, t in inputs.items():
        g = gradients.get(name)
        for k, index in enumerate(np.ndindex(t._a.shape)):
            automatic = 0.0 if g is None else g.reshape(-1)[k]
            row = {
                "input": name + "".join(f"[{i}]" for i in index),
                "numeric": number(numeric[name].reshape(-1)[k]), "automatic": number(automatic),
            }  # fmt: skip
            if _differ(row["numeric"], automatic, ran.coarse):
                row["differs"] = True
            if not index and name in formulas:
                row["formula"], row["symbolic"] = formulas[name]
            rows.append(row)
    return {"rows": rows, "reason": reason, "formula": formula, "step": best_step("central")}


def _differ(numeric: Any, automatic: float, coarse: bool) -> bool:
    """Whether more than the rounding of a difference lies between them."""
    if isinstance(numeric, str) or not np.isfinite(automatic):
        return False
    rounding = 1e-2 if coarse else 1e-5
    return abs(numeric - automatic) > rounding * max(1.0, abs(automatic))


def _numeric(f: Callable[..., Any], inputs: Mapping[str, Any], ran: Ran) -> dict[str, np.ndarray]:
    point = {n: np.array(t._a) for n, t in inputs.items()}

    def total(**moved: Any) -> Any:
        with fork_rng():
            set_rng_state(ran.draws)  # the same random draws in every run
            given = {n: moved[n] if n in moved else tensor(a) for n, a in point.items()}
            result = f(**{n: t.requires_grad_() for n, t in given.items()})
        return result.detach().sum()

    found = {}
    with np.errstate(all="ignore"):
        for n, a in point.items():
            step = best_step("central", np.float32) * max(1.0, float(np.abs(a).max(initial=0)))
            eps = step if ran.coarse else None  # by itself it fits the type of the input alone
            found[n] = np.asarray(finite_difference(lambda v, n=n: total(**{n: v}), a, eps=eps))
    return found


def _symbolic(
    f: Callable[..., Any], inputs: Mapping[str, Any], ran: Ran
) -> tuple[str, dict[str, tuple[str, Any]], str]:
    """(the formula, per input its derivative as text and value, why there is none)."""
    from ..derivatives.formula import symbolic

    if any(t._a.ndim for t in inputs.values()):
        return "", {}, "a formula is written for single numbers; an input is a tensor"
    if ran.ops > MOST_READ:
        return "", {}, f"a formula of {ran.ops:,} ops is too long to be read"
    try:
        point = {n: float(t._a) for n, t in inputs.items()}
        with np.errstate(all="ignore"), fork_rng():
            set_rng_state(ran.draws)
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


__all__ = ["Ran", "modes"]
