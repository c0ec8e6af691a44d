"""Valid calls, and the trials that come of replacing their arguments one by one."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import chainrule as torch

from . import programs
from .values import ABSURD

_TESTS = str(Path(__file__).resolve().parents[2] / "tests")
_SAMPLES = 2  # of one function, those with the most different arguments first
# Not called by the sweep: what they do to the process or wait for is their purpose.
_LEFT_OUT = {"set_num_threads", "seed"}


@dataclass(frozen=True)
class Call:
    """A valid call: `run(change)` makes it anew with the arguments that `change` returns."""

    name: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    parameters: tuple[str, ...]
    run: Callable[[Callable[[tuple[Any, ...], dict[str, Any]], Any]], Any] = field(repr=False)

    def places(self) -> Iterator[tuple[Any, ...]]:
        """Where nonsense can stand: arguments, the first parts of tuples, unused parameters."""
        given = [*enumerate(self.args), *self.kwargs.items()]
        if self.name.startswith(("S(", "O(")):  # the name of the class
            del given[0]
        for key, value in given:
            yield (key,)
            if isinstance(value, list | tuple) and value:
                yield key, 0
                if len(value) > 1:
                    yield key, len(value) - 1
        used = set(self.parameters[: len(self.args)]) | set(self.kwargs)
        for name in self.parameters:
            if name not in used:
                yield (name,)


@dataclass(frozen=True)
class Trial:
    """One call with nonsense in one place."""

    call: Call
    place: tuple[Any, ...]
    value: str

    def run(self) -> Any:
        return self.call.run(self._changed)

    def _changed(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        nonsense: Any = ABSURD[self.value]()
        key = self.place[0]
        if len(self.place) == 2:
            whole = args[key] if isinstance(key, int) else kwargs[key]
            parts = list(whole)
            parts[self.place[1]] = nonsense
            nonsense = type(whole)(parts) if type(whole) in (list, tuple) else parts
        if isinstance(key, int):
            return (*args[:key], nonsense, *args[key + 1 :]), kwargs
        return args, {**kwargs, key: nonsense}

    def __str__(self) -> str:
        at = "".join(f"[{p}]" for p in self.place)
        return f"{self.call.name}{at} = {self.value}"


@functools.cache
def trials() -> tuple[Trial, ...]:
    """Every trial, always in the same order."""
    return tuple(
        Trial(call, place, value) for call in calls() for place in call.places() for value in ABSURD
    )


@functools.cache
def calls() -> tuple[Call, ...]:
    """The valid calls."""
    if _TESTS not in sys.path:
        sys.path.insert(0, _TESTS)
    return (*_of_samples(), *_of_layers(), *_of_programs())


# ---- functions and methods, from the samples of the ops -----------------------------------------


def _of_samples() -> Iterator[Call]:
    from ops.harness import all_cases

    by_path: dict[str, list[Any]] = {}
    for case in all_cases():
        by_path.setdefault(case.path, []).append(case)
    for path, cases in by_path.items():
        if path.rpartition(".")[2] in _LEFT_OUT:
            continue
        cases.sort(key=lambda c: -len(c.sample.args) - len(c.sample.kwargs))
        for number, case in enumerate(cases[:_SAMPLES]):
            yield from _forms(f"{path}-{number}", path, case.sample)


def _forms(name: str, path: str, sample: Any) -> Iterator[Call]:
    """The function, the method and the in-place method of a sample."""
    function = _looked_up(torch, path)
    if function is not None and not isinstance(function, type):
        yield _call(name, lambda: function, sample)
    last = path.rpartition(".")[2]
    if path.startswith("nn.functional.") or not sample.args:
        return
    if not isinstance(sample.args[0], np.ndarray):
        return
    for method in (last, last + "_"):
        if callable(getattr(torch.Tensor, method, None)):
            yield _method(f"Tensor.{name.replace(last, method, 1)}", method, sample)


def _call(name: str, target: Callable[[], Any], sample: Any) -> Call:
    def run(change: Any) -> Any:
        return_args, kwargs = change(*_filled(sample))
        return target()(*return_args, **kwargs)

    return Call(name, sample.args, sample.kwargs, parameters_of(target()), run)


def _method(name: str, method: str, sample: Any) -> Call:
    def run(change: Any) -> Any:
        (first, *rest), kwargs = _filled(sample)
        args, kwargs = change(tuple(rest), kwargs)
        return getattr(first, method)(*args, **kwargs)

    names = parameters_of(getattr(torch.Tensor, method))[1:]
    return Call(name, sample.args[1:], sample.kwargs, names, run)


def _filled(sample: Any) -> Any:
    from ops.harness import tensor

    values = [tensor(a, "float32") for a in sample.arrays()]
    args, kwargs = sample.fill(values, lambda name: getattr(torch, name))
    return (sample.feed(*args) if sample.feed else args), kwargs


def _looked_up(root: Any, path: str) -> Any:
    for part in path.split("."):
        root = getattr(root, part, None)
    return root


def parameters_of(function: Any) -> tuple[str, ...]:
    """The names of the parameters that may be passed by name, in order."""
    try:
        found = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return ()
    return tuple(p.name for p in found if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY))


# ---- layers --------------------------------------------------------------------------------------


def _of_layers() -> Iterator[Call]:
    from nn.layer_cases import cases_of, family_names

    for family in family_names():
        for path, cases in cases_of(family).items():
            cls = _looked_up(torch.nn, path)
            if cls is not None:
                cases = sorted(cases, key=lambda c: -len(c.args) - len(c.kwargs))
                for number, case in enumerate(cases[:_SAMPLES]):
                    yield _constructed(f"nn.{path}-{number}", cls, case)
                yield _forward(f"nn.{path}.forward", cls, cases[0])


def _constructed(name: str, cls: Any, case: Any) -> Call:
    from nn.layer_cases import converted

    def run(change: Any) -> Any:
        args, kwargs = change(*_converted(case.args, case.kwargs))
        inputs = [converted(x, torch) for x in case.inputs]
        return cls(*args, **kwargs)(*inputs, **_converted((), case.call)[1])

    return Call(name, case.args, case.kwargs, parameters_of(cls), run)


def _forward(name: str, cls: Any, case: Any) -> Call:
    def run(change: Any) -> Any:
        args, kwargs = _converted(case.args, case.kwargs)
        inputs, call = change(*_converted(case.inputs, case.call))
        return cls(*args, **kwargs)(*inputs, **call)

    return Call(name, case.inputs, case.call, parameters_of(cls.forward)[1:], run)


def _converted(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    from nn.layer_cases import converted

    return converted(tuple(args), torch), {k: converted(v, torch) for k, v in kwargs.items()}


# ---- everything else, from lines of programs -----------------------------------------------------


def _of_programs() -> Iterator[Call]:
    for program in programs.all_programs():
        for name, args, kwargs, function, run in programs.parts_of(program):
            yield Call(name, args, kwargs, parameters_of(function), run)
