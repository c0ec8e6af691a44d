"""One traced run of a function, and the checks without which its derivatives are not believed."""

from __future__ import annotations

import inspect
import linecache
import math
import os
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .errors import TraceError
from .places import Arguments, outputs_of
from .substitutes import substitutes
from .tape import Tape
from .traced import Counted, Traced, value_of
from .userland import is_users
from .watching import Name, Watch


@dataclass
class Run:
    """What a traced run left."""

    tape: Tape
    inputs: dict[str, int]  # name -> position on the tape
    outputs: dict[str, float]
    places: dict[str, int | None]  # output -> position; None where it depends on no input
    names: dict[int, Name]
    counts: dict[str, str] = field(default_factory=dict)  # inputs used as whole numbers: where


def plain_outputs(arguments: Arguments, point: Mapping[str, Any]) -> dict[str, float]:
    """The function on plain numbers, as anybody would call it."""
    result = arguments.call(point)
    leaves = outputs_of(result, arguments.title)
    return {_label(name, k, leaves): float(value_of(v)) for k, (name, v) in enumerate(leaves)}


def _label(name: str, position: int, leaves: Any) -> str:
    return name.lstrip(".") or ("" if len(leaves) == 1 else f"[{position}]")


def traced_run(
    arguments: Arguments, point: Mapping[str, float], counts: dict[str, str] | None = None
) -> Run:
    """Run the function on traced numbers. Inputs used as counts are held and the run repeated."""
    counts = dict(counts or {})
    tape = Tape()
    numbers: dict[str, Any] = {}
    for name, value in point.items():
        if name in counts:
            numbers[name] = int(value)
        else:
            numbers[name] = Traced(tape, tape.add_input(float(value)), float(value))
    inputs = {name: n.index for name, n in numbers.items() if name not in counts}
    watch = Watch(arguments.f)
    try:
        with watch:
            result = arguments.call(numbers, _followed(arguments.f))
        leaves = outputs_of(result, arguments.title)
    except Counted as found:
        names = _whole_inputs(tape, found, inputs, arguments)
        tape.open = False
        return traced_run(arguments, point, {**counts, **dict.fromkeys(names, found.where)})
    except TraceError as problem:
        raise _clear(problem, arguments) from None
    except Exception as problem:
        raise TraceError(_what_failed(arguments, problem)) from problem
    finally:
        tape.open = False
        watch.release()
    if tape.lost:
        raise _clear(tape.lost[0], arguments)
    labels = [_label(name, k, leaves) for k, (name, _) in enumerate(leaves)]
    return Run(
        tape=tape,
        inputs=inputs,
        outputs={n: float(value_of(v)) for n, (_, v) in zip(labels, leaves, strict=True)},
        places={n: _position(v, tape) for n, (_, v) in zip(labels, leaves, strict=True)},
        names=watch.kept_names(),
        counts=counts,
    )


def _position(value: Any, tape: Tape) -> int | None:
    return value.index if type(value) is Traced and value.tape is tape else None


def _followed(f: Any) -> Any:
    """`sensitivity(math.exp, ...)`: the function itself may have a substitute."""
    found = substitutes().get(id(f))
    return f if found is None else found[1]


def _whole_inputs(
    tape: Tape, found: Counted, inputs: dict[str, int], arguments: Arguments
) -> list[str]:
    """The inputs behind a number used as a count: all given as integers, else it is an error."""
    behind: set[int] = set()
    waiting = [found.number.index]
    while waiting:
        index = waiting.pop()
        if index not in behind:
            behind.add(index)
            waiting += [p for p in tape.entries[index].parents if p is not None]
    names = [name for name, index in inputs.items() if index in behind]
    broken = [n for n in names if n not in arguments.whole]
    if broken or float(found.number.value) % 1:
        raise TraceError(
            f"{found.number.value!r} is used as a whole number (a count, an index, range()), and "
            f"it depends on {', '.join(names)}: there is no derivative through a count\n"
            f"  at {found.where}\nFix: give {' and '.join(names)} as integers to hold them, or "
            "pass the count as an input of its own."
        )
    return names


def _clear(problem: TraceError, arguments: Arguments) -> TraceError:
    return TraceError(f"sensitivity cannot follow {arguments.title}: {problem}")


def _what_failed(arguments: Arguments, problem: Exception) -> str:
    """An error that only traced numbers cause: the line of the user, and what can be done."""
    frames = [f for f in traceback.extract_tb(problem.__traceback__) if is_users(f.filename)]
    place = ""
    if frames:
        last = frames[-1]
        place = (
            f"\n  at {os.path.basename(last.filename)}:{last.lineno} in {last.name}: {last.line}"
        )
    return (
        f"sensitivity cannot follow {arguments.title}: it runs on plain numbers, but on traced "
        f"ones it raises {type(problem).__name__}: {problem}{place}\n"
        "A function called there takes plain floats only. Fix: write that step with arithmetic and "
        "math.* or numpy functions, or leave the inputs it depends on out with wrt=[...]."
    )


# ---- the values must be those of a plain run -----------------------------------------------------


def same(a: float, b: float) -> bool:
    """Equal to the last bits: NumPy and Python may round a sum of many terms differently."""
    if a == b or (math.isnan(a) and math.isnan(b)):
        return True
    return math.isfinite(a) and math.isfinite(b) and abs(a - b) <= 1e-12 * max(abs(a), abs(b))


def check_values(arguments: Arguments, plain: dict[str, float], again: dict[str, float]) -> None:
    """Two plain calls must agree before a traced one can be compared with them."""
    for name, value in plain.items():
        if name not in again or not same(value, again[name]):
            raise TraceError(
                f"{arguments.title} is no function of its inputs alone: called twice with the same "
                f"numbers it returned {value!r} and {again.get(name)!r}{definition(arguments.f)}\n"
                "It draws random numbers or keeps something between calls. Fix: seed it inside, "
                "or reset what it keeps."
            )


def check_traced(arguments: Arguments, plain: dict[str, float], run: Run) -> None:
    """A traced run that took another way is not believed."""
    for name, value in plain.items():
        traced = run.outputs.get(name)
        if traced is None or not same(value, traced):
            raise TraceError(
                f"sensitivity cannot follow {arguments.title}: on traced numbers it returned "
                f"{traced!r} instead of {value!r}{definition(arguments.f)}\n"
                "It asks for the exact type of its inputs, looks them up in a set or dict, or "
                "keeps something between calls (a cache, a global)."
            )


def definition(f: Any) -> str:
    """The line where a function is defined, for messages."""
    code = getattr(inspect.unwrap(f) if callable(f) else f, "__code__", None)
    if code is None:
        return ""
    text = linecache.getline(code.co_filename, code.co_firstlineno).strip()
    return f"\n  at {os.path.basename(code.co_filename)}:{code.co_firstlineno}: {text}"


def finite(x: float) -> bool:
    return bool(np.isfinite(x))
