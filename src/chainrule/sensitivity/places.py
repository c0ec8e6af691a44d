"""Numbers inside of arguments and results: taken out under a name, put back as other numbers."""

from __future__ import annotations

import dataclasses
import difflib
import inspect
import math
import numbers
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .traced import Traced, value_of

Leaf = tuple[str, Any]  # name, number


def is_number(x: Any) -> bool:
    """A real number; booleans are answers, not quantities."""
    if type(x) is Traced:
        return True
    return isinstance(x, numbers.Real) and not isinstance(x, bool | np.bool_)


def with_parts(value: Any, name: str, visit: Callable[[str, Any], Any]) -> Any:
    """A copy of a value with every number in it replaced by `visit(name, number)`."""
    if is_number(value):
        return visit(name, value)
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiu":
        flat = [visit(f"{name}{list(place)}", value[place]) for place in np.ndindex(value.shape)]
        return _array(flat, value.shape)
    if isinstance(value, np.ndarray) and value.dtype == object:
        flat = [with_parts(value[p], f"{name}{list(p)}", visit) for p in np.ndindex(value.shape)]
        return _array(flat, value.shape)
    if isinstance(value, dict):
        return {k: with_parts(v, _key(name, k), visit) for k, v in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        fields = zip(value._fields, value, strict=True)  # type: ignore[attr-defined]
        return type(value)(*[with_parts(v, f"{name}.{k}", visit) for k, v in fields])
    if type(value) is list or type(value) is tuple:
        parts = [with_parts(v, f"{name}[{k}]", visit) for k, v in enumerate(value)]
        return parts if type(value) is list else tuple(parts)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = [f.name for f in dataclasses.fields(value) if f.init]
        changed = {k: with_parts(getattr(value, k), f"{name}.{k}", visit) for k in fields}
        return dataclasses.replace(value, **changed)
    return value


def _key(name: str, key: Any) -> str:
    return f"{name}[{key!r}]" if name else str(key)


def _array(values: list[Any], shape: tuple[int, ...]) -> np.ndarray:
    """Of floats where all are plain, so that a plain run is a plain run."""
    if any(type(v) is Traced for v in values):
        made = np.empty(len(values), object)
        made[:] = values
        return made.reshape(shape)
    return np.array(values, np.float64).reshape(shape)


def numbers_in(value: Any, name: str) -> list[Leaf]:
    """Every number in a value, with its name."""
    found: list[Leaf] = []

    def visit(where: str, number: Any) -> Any:
        found.append((where, number))
        return number

    with_parts(value, name, visit)
    return found


# ---- arguments -----------------------------------------------------------------------------------


class Arguments:
    """The arguments of a call: the numbers among them by name, and calls with others."""

    def __init__(self, f: Callable[..., Any], at: Mapping[str, Any], wrt: Any = None) -> None:
        self.f = f
        self.title = getattr(f, "__name__", None) or type(f).__name__
        if not isinstance(at, Mapping) or not at:
            raise TypeError(f"at= must name the inputs and their values: at={{{'x'!r}: 1.0}}")
        self.at = dict(at)
        self.signature = _signature(f, self.title)
        self._check_names()
        self.point: dict[str, float] = {}
        self.whole: set[str] = set()  # given as integers
        chosen = self._chosen(wrt)
        for name in chosen:
            leaves = numbers_in(self.at[name], name)
            if not leaves or (isinstance(self.at[name], bool)):
                raise TypeError(self._not_a_number(name))
            for leaf, number in leaves:
                self.point[leaf] = float(value_of(number))
                if not math.isfinite(self.point[leaf]):
                    raise ValueError(f"{leaf}={number!r} is not a finite number")
                if isinstance(number, int | np.integer):
                    self.whole.add(leaf)
        self.moving = set(chosen)

    def _chosen(self, wrt: Any) -> list[str]:
        if wrt is None:
            return list(self.at)
        names = [wrt] if isinstance(wrt, str) else list(wrt)
        if unknown := [n for n in names if n not in self.at]:
            raise ValueError(
                f"wrt names {unknown[0]!r}, which is not in at={{{', '.join(self.at)}}}"
            )
        return names

    def _not_a_number(self, name: str) -> str:
        value = self.at[name]
        return (
            f"sensitivity of {self.title}: {name}={value!r} is not a number "
            f"({type(value).__name__}). Fix: name the inputs that are numbers in wrt=[...], or "
            f"bind it with functools.partial({self.title}, {name}={value!r})."
        )

    def _check_names(self) -> None:
        known = self.signature.parameters
        takes_any = any(p.kind is p.VAR_KEYWORD for p in known.values())
        names = [n for n, p in known.items() if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
        if not names and not takes_any:
            raise ValueError(
                f"the inputs of {self.title}{self.signature} have no names. Fix: give them names, "
                f"e.g. lambda a, b: {self.title}(a, b)"
            )
        for name in self.at:
            if name not in names and not takes_any:
                near = difflib.get_close_matches(str(name), names, 1)
                hint = f" Did you mean {near[0]!r}?" if near else ""
                raise ValueError(
                    f"{self.title} has no input {name!r}; its inputs are {', '.join(names)}.{hint}"
                )
        missing = [n for n in names if known[n].default is known[n].empty and n not in self.at]
        if missing:
            raise ValueError(
                f"{self.title} needs {', '.join(missing)}: add "
                f"{'it' if len(missing) == 1 else 'them'} to at={{...}}"
            )

    def call(self, chosen: Mapping[str, Any], f: Callable[..., Any] | None = None) -> Any:
        """f with these numbers in the places of the given ones (all as floats)."""

        def visit(name: str, number: Any) -> Any:
            return chosen[name]

        values = {
            name: with_parts(value, name, visit) if name in self.moving else value
            for name, value in self.at.items()
        }
        positional, named = [], {}
        by_position = True
        for name, parameter in self.signature.parameters.items():
            if (
                parameter.kind is parameter.VAR_KEYWORD
                or parameter.kind is parameter.VAR_POSITIONAL
            ):
                continue
            if name not in values:
                by_position = False
            elif by_position and parameter.kind is not parameter.KEYWORD_ONLY:
                positional.append(values.pop(name))
            else:
                named[name] = values.pop(name)
        return (f or self.f)(*positional, **named, **values)


def _signature(f: Any, title: str) -> inspect.Signature:
    if not callable(f):
        raise TypeError(f"sensitivity needs a function, got {type(f).__name__}: {f!r}")
    try:
        return inspect.signature(f)
    except (TypeError, ValueError):
        raise TypeError(
            f"the inputs of {title} have no names that Python knows. Fix: wrap it, "
            f"e.g. lambda x: {title}(x)"
        ) from None


# ---- results -------------------------------------------------------------------------------------


def outputs_of(result: Any, title: str) -> list[Leaf]:
    """The numbers of a result: of one number, a tuple, list, dict, dataclass or array."""
    if is_number(result):
        return [("", result)]
    if isinstance(result, np.ndarray) and result.ndim == 0:
        return outputs_of(result.item(), title)
    leaves = [] if isinstance(result, bool | np.bool_ | str) else numbers_in(result, "")
    if not leaves:
        shown = repr(result)
        shown = shown if len(shown) < 80 else shown[:77] + "..."
        raise TypeError(
            f"{title} returned {shown} ({type(result).__name__}), which is not a number. Fix: "
            "return a number, or a tuple, list or dict of numbers."
        )
    return leaves
