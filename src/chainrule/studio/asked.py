"""A function as it is asked here: inputs by name, each a number or an array, and one result."""

from __future__ import annotations

import copy
import inspect
import io
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import Any

import numpy as np

from ..autograd.value import TensorBase

Path = tuple[Any, ...]  # keys from a parameter down to one of its parts
_APART = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


class Asked:
    """Calls a function by names.

    A dict of numbers is taken apart (`p = {"w": 2}` is asked for `p_w`); of several results one is
    given, `results` has the names of all. `fixed` holds what is nothing to differentiate by.
    """

    def __init__(
        self, f: Callable[..., Any], at: Mapping[str, Any] | None = None, result: str = ""
    ) -> None:
        self.f = f
        self.result = result
        self.results: list[str] = []
        self.fixed: dict[str, Any] = {}
        self.single = False  # whether numbers are handed on in single precision
        self.draws: Any = None  # state of the random numbers that every run begins with
        self.__name__ = getattr(f, "__name__", type(f).__name__)
        self.__globals__ = getattr(f, "__globals__", {})
        self._parameters = inspect.signature(f).parameters
        self._parts: dict[str, tuple[str, Path]] = {}  # name asked for -> parameter, path
        self._whole: dict[str, Any] = {}  # what was taken apart, by parameter
        self.at = self._taken_apart(dict(at or {}))

    def _taken_apart(self, given: dict[str, Any]) -> dict[str, Any]:
        """The point under the names that are asked for, which make the signature."""
        shown = []
        for name, p in self._parameters.items():
            if p.kind in _APART:
                continue
            whole = given.get(name, p.default)
            found = dict(_numbers_in(name, whole)) if isinstance(whole, dict | list | tuple) else {}
            if not found:
                shown.append(p.replace(kind=p.KEYWORD_ONLY))
                continue
            given.pop(name, None)
            self._whole[name] = whole
            for part, (path, value) in found.items():
                own = part
                while own in self._parameters or own in self._parts:
                    own += "_"
                self._parts[own] = (name, path)
                shown.append(inspect.Parameter(own, p.KEYWORD_ONLY, default=value))
        self.__signature__ = inspect.Signature(shown)
        return given

    def keep_counts(self) -> bool:
        """Hand whole numbers on as they are (`range(n)` takes nothing else); False: there are none.

        Only parameters whose default is a whole number: `cost(w=3)` may well mean a real one.
        """
        counts = [
            name for name, p in self.__signature__.parameters.items()
            if type(p.default) is int and name not in self._parts
        ]  # fmt: skip
        for name in counts:
            given = self.at.pop(name, self._parameters[name].default)
            self.fixed[name] = int(given) if float(given).is_integer() else given
        kept = [p for n, p in self.__signature__.parameters.items() if n not in counts]
        self.__signature__ = inspect.Signature(kept)
        return bool(counts)

    def __call__(self, *args: Any, **given: Any) -> Any:
        """By name; or in the order of the names that are not fixed."""
        names = [n for n in self.__signature__.parameters if n not in self.fixed]
        values = {**self.fixed, **dict(zip(names, args, strict=False)), **given}
        wholes = dict(self._whole)
        positional, named = [], {}
        for part, (name, path) in self._parts.items():
            if part in values:
                wholes[name] = _with(wholes[name], path, values[part])
        for name, p in self._parameters.items():
            if p.kind in _APART or not (name in wholes or name in values):
                continue
            value = wholes[name] if name in wholes else values[name]
            if p.kind is p.POSITIONAL_ONLY:
                positional.append(value)
            else:
                named[name] = value
        return self._one_of(self.f(*positional, **named))

    def _one_of(self, made: Any) -> Any:
        """The result that was asked for; without a wish the first that gradients flow to."""
        if isinstance(made, TensorBase):
            return made
        found = dict(_tensors_in("", made))
        self.results = list(found)
        if self.result in found:
            return found[self.result]
        best = [n for n, t in found.items() if t._rg] or list(found)
        if not best:
            return made
        self.result = best[0]
        return found[best[0]]


class _Nowhere(io.StringIO):
    def write(self, text: str) -> int:
        return len(text)


@contextmanager
def unheard() -> Iterator[None]:
    """What a program prints and warns of was said by its first run."""
    nowhere = _Nowhere()
    with redirect_stdout(nowhere), redirect_stderr(nowhere), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def settled(asked: Asked, act: Callable[[], Any]) -> Any:
    """What `act` gives; once more in the form of the inputs that the function needs.

    Whole numbers as they are where they count something, single precision where it meets the
    parameters of a model.
    """
    try:
        return act()
    except TypeError as problem:
        if "int" not in str(problem) or not asked.keep_counts():
            raise
    except RuntimeError as problem:
        if asked.single or "dtype" not in str(problem):
            raise
        asked.single = True
        try:
            return act()
        except RuntimeError:
            asked.single = False
            raise problem from None
    return settled(asked, act)


def _numbers_in(name: str, value: Any, path: Path = ()) -> Iterator[tuple[str, tuple[Path, Any]]]:
    """(name, (path, number or array)) of everything in nested dicts and uneven lists."""
    if isinstance(value, dict):
        items = list(value.items())
    elif isinstance(value, list | tuple) and not _is_even(value):
        items = list(enumerate(value))
    else:
        if path and (isinstance(value, TensorBase) or _is_even(value)):
            yield name, (path, value)
        return
    for key, inner in items:
        yield from _numbers_in(f"{name}_{re.sub(r'[^0-9a-zA-Z_]', '_', str(key))}", inner,
                               (*path, key))  # fmt: skip


def _is_even(value: Any) -> bool:
    """Whether it is one number, or an array as it stands."""
    if isinstance(value, bool | str | bytes | TensorBase) or value is None:
        return False
    try:
        np.asarray(value, np.float64)  # a list may have "nan", as JSON has it
    except (TypeError, ValueError):
        return False
    return True


def _with(whole: Any, path: Path, value: Any) -> Any:
    """Nested data with another value at a path; what is given stays as it is."""
    if not path:
        return value
    key, *rest = path
    inner = _with(whole[key], tuple(rest), value)
    if isinstance(whole, tuple):
        changed = (*whole[:key], inner, *whole[key + 1 :])
        return type(whole)(*changed) if hasattr(whole, "_fields") else changed
    made = copy.copy(whole)
    made[key] = inner
    return made


def _tensors_in(name: str, made: Any) -> Iterator[tuple[str, Any]]:
    """(name, tensor) of everything in nested results: `[0]`, `loss`, `parts[1]`."""
    if isinstance(made, TensorBase):
        yield name, made
    elif isinstance(made, Mapping):
        for key, inner in made.items():
            yield from _tensors_in(f"{name}.{key}" if name else f"{key}", inner)
    elif hasattr(made, "_fields"):
        yield from _tensors_in(name, made._asdict())
    elif hasattr(made, "__dataclass_fields__"):
        fields = {n: getattr(made, n) for n in made.__dataclass_fields__}
        yield from _tensors_in(name, fields)
    elif isinstance(made, list | tuple):
        for k, inner in enumerate(made):
            yield from _tensors_in(f"{name}[{k}]", inner)


__all__ = ["Asked", "settled", "unheard"]
