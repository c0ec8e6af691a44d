"""What the page asks of the process that runs its program."""

from __future__ import annotations

import inspect
import math
import os
import warnings
from collections.abc import Callable, Mapping
from time import perf_counter
from typing import Any

import numpy as np

from ..autograd.modes import no_grad
from ..random import get_rng_state, manual_seed, set_rng_state
from ..sensitivity import sensitivity
from .asked import Asked, settled, unheard
from .lessons import add_lesson
from .page import places
from .programs import ProgramError, load, trace_program
from .tracing import bound_inputs
from .values import number

SEED = 0  # of every run: an edited number is the only thing that changes
CURVE_POINTS = 121
CURVE_SECONDS = 1.5  # a slow function is drawn by fewer points
STRIDES = (60, 30, 15, 5, 1)  # between the points, from a first look to all of them


def trace(
    text: str, name: str, function: str = "", at: Mapping[str, Any] | None = None, step: int = 1,
    base: Mapping[str, Any] | None = None, result: str = "",
) -> dict[str, Any]:  # fmt: skip
    """The document of a run; with `base` also what the derivatives there foretold of it."""
    manual_seed(SEED)
    made = trace_program(text, os.path.abspath(name), function, at, step, result).document
    made["places"] = places(made)
    if base and made.get("function") and made.get("inputs"):
        made["prediction"] = prediction(text, name, made, base)
    return made


def record(text: str, name: str, lesson: int = 0, **given: Any) -> dict[str, Any]:
    """The run as one page that needs no server."""
    manual_seed(SEED)
    made = trace_program(text, os.path.abspath(name), **given)
    add_lesson(made.document, lesson)
    return {"page": made.to_html()}


def prediction(
    text: str, name: str, made: Mapping[str, Any], base: Mapping[str, Any]
) -> dict[str, Any]:
    """First-order: the value at `base` plus its gradient times the change; beside the truth."""
    now = {i["name"]: np.asarray(i["value"], np.float64) for i in made["inputs"]}
    before = {n: np.asarray(base.get(n, v), np.float64) for n, v in now.items()}
    if any(before[n].shape != now[n].shape for n in now):
        return {}
    with unheard():
        f = _function(text, name, made["function"], before, made["result"])
        tensors, start = settled(f, lambda: _run(f, f.at))
    start.backward()
    parts = {}
    for n, t in tensors.items():
        slope = 0.0 if t.grad is None else np.asarray(t.grad._a, np.float64)
        parts[n] = float((slope * (now[n] - before[n])).sum())
    output = made["nodes"][made["output"]["node"]]["outputs"][made["output"]["output"]]
    shown = output.get("numbers")
    if shown is None:
        return {}
    truth = float(sum(float(x) for x in shown))
    foretold = float(start._a) + math.fsum(parts.values())
    return {
        "from": number(start._a), "predicted": number(foretold), "recomputed": number(truth),
        "residual": number(truth - foretold), "parts": {n: number(p) for n, p in parts.items()},
    }  # fmt: skip


def curve(
    text: str, name: str, function: str, at: Mapping[str, Any], along: str, low: float, high: float,
    result: str = "",
) -> dict[str, Any]:  # fmt: skip
    """A function along one number: values, slopes, and both at the present point.

    Each point is a run of the function and of its backward pass.
    """
    path, here = _entry(at, along)
    f = _function(text, name, function, at, result)
    y, slope = settled(f, lambda: _value_and_slope(f, path, here))
    found = _points(lambda x: _value_and_slope(f, path, x), low, high)
    return {
        "along": along, "x": list(found), "values": [number(v) for v, _ in found.values()],
        "slopes": [number(d) for _, d in found.values()],
        "here": {"x": here, "value": number(y), "slope": number(slope)},
    }  # fmt: skip


def _points(
    f: Callable[[float], tuple[float, float]], low: float, high: float
) -> dict[float, tuple[float, float]]:
    """What `f` gives between two ends, at as many points as there is time for."""
    xs, found = np.linspace(low, high, CURVE_POINTS).tolist(), {}
    began = perf_counter()
    for stride in STRIDES:
        missing = [x for x in xs[::stride] if x not in found]
        spent = perf_counter() - began
        if found and spent * (1 + len(missing) / len(found)) > CURVE_SECONDS:
            break
        found |= {x: f(x) for x in missing}
    return dict(sorted(found.items()))


def _function(text: str, name: str, function: str, at: Mapping[str, Any], result: str) -> Asked:
    """A function of a program, its draws those of the run that is shown."""
    manual_seed(SEED)
    f = getattr(load(text, os.path.abspath(name)), function)
    made = Asked(f, {n: v.tolist() if isinstance(v, np.ndarray) else v for n, v in at.items()},
                 result)  # fmt: skip
    made.draws = get_rng_state()
    return made


def _run(f: Asked, at: Mapping[str, Any]) -> tuple[dict[str, Any], Any]:
    """(the inputs as tensors, the sum of the result) of one run."""
    set_rng_state(f.draws)
    known = f.__signature__.parameters
    tensors, fixed = bound_inputs(f, {n: v for n, v in at.items() if n in known})
    f.fixed |= fixed
    return tensors, f(**tensors).sum()


def _entry(at: Mapping[str, Any], along: str) -> tuple[tuple[Any, ...], float]:
    """(`x`, 2, 0) and the number there, of "x[2][0]"."""
    head, *rest = along.replace("]", "").split("[")
    path = (head, *(int(k) for k in rest))
    value: Any = at[head]
    for k in path[1:]:
        value = value[k]
    return path, float(value)


def _value_and_slope(f: Asked, path: Any, x: float) -> tuple[float, float]:
    point = dict(f.at)
    moved = np.array(point[path[0]], np.float64)
    moved[path[1:]] = x
    point[path[0]] = moved.tolist()
    with np.errstate(all="ignore"), unheard():
        tensors, y = _run(f, point)
        if y._node is None:
            return float(y._a), 0.0
        y.backward()
    grad = tensors[path[0]].grad
    return float(y._a), 0.0 if grad is None else float(np.asarray(grad._a)[path[1:]])


def drivers(
    text: str, name: str, function: str = "", at: Mapping[str, Any] | None = None,
    share: float = 0.1, sweep: Mapping[str, Any] | None = None,
    changes: Mapping[str, float] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """`chainrule.sensitivity` of a plain function: drivers, tornado, sweep and what if."""
    from .programs import functions_of

    module = load(text, os.path.abspath(name))
    names = functions_of(module)
    if not names:
        raise ProgramError(f"{os.path.basename(name)} defines no function to ask about")
    function = function if function in names else names[-1]
    f = getattr(module, function)
    point = dict(at or {})
    for n, p in inspect.signature(f).parameters.items():
        if n not in point:
            point[n] = 1.0 if p.default is p.empty else p.default
    with warnings.catch_warnings(record=True) as said, no_grad():
        warnings.simplefilter("always")
        s = sensitivity(f, at=point)
        made: dict[str, Any] = {
            "function": function, "functions": names, "sensitivity": s.to_dict(),
            "tornado": s.tornado(share).to_dict(), "point": dict(s.at),
        }  # fmt: skip
        if changes:
            made["what_if"] = s.what_if(dict(changes)).to_dict()
        if sweep:
            found = s.sweep(sweep["input"], float(sweep["low"]), float(sweep["high"]))
            made["sweep"] = found.to_dict()
    made["warnings"] = [str(w.message) for w in said]
    return finite(made)


def finite(data: Any) -> Any:
    """Plain data with strings where JSON has no number."""
    if isinstance(data, dict):
        return {str(k): finite(v) for k, v in data.items()}
    if isinstance(data, list | tuple):
        return [finite(v) for v in data]
    if isinstance(data, float | np.floating):
        return number(data)
    return data


def start_training(**given: Any) -> tuple[Any, Any]:
    """A training run of the playground, and what the page shows first."""
    from .playground.training import Training  # pyright: ignore[reportMissingImports]

    made = Training(**given)
    return made.frame(), made


ANSWERS = {
    "hello": dict, "trace": trace, "record": record, "curve": curve, "drivers": drivers,
}  # fmt: skip

__all__ = ["ANSWERS", "start_training"]
