"""Other spellings of a call that PyTorch accepts: NumPy's keywords, and the orders of old times.

    x.sum(axis=0, keepdims=True)     dim and keepdim, by NumPy's names
    torch.maximum(x1=a, x2=b)        input and other, by NumPy's names
    x.add_(2, y)                     x.add_(y, alpha=2), as it was written until 2020
    torch.addmm(2, c, 3, a, b)       torch.addmm(c, a, b, beta=2, alpha=3)

A generated function takes the other names as further parameters whose default is `...`; when all
of them are left at it, which costs a test, nothing happens here.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from ..autograd import refusal
from ..autograd.value import TensorBase
from ..autograd.warn_once import warn_once_of

# The default of a parameter that has another name as well: any value may be given, None too.
UNGIVEN: Any = ...

# The first parameter of a function, under the names it may have here.
_FIRST = ("input", "A", "x")
_NAMES_OF_FIRST = ("input", "x", "a", "x1", "self")
# parameter -> its other names
_OTHER_NAMES = {"dim": ("axis",), "keepdim": ("keepdims",), "other": ("x2",)}
# function -> {parameter: names that PyTorch's methods or overloads have for it}
_OWN_NAMES: dict[str, dict[str, tuple[str, ...]]] = {
    "cholesky_solve": {"L": ("input2",)},
    "isin": {"elements": ("element",), "test_elements": ("test_element",)},
    "linalg.tensorsolve": {"B": ("other", "x2")},
    "nn.functional.alpha_dropout": {"training": ("train",)},
    "nn.functional.feature_alpha_dropout": {"training": ("train",)},
    "ormqr": {"tau": ("input2",), "other": ("input3",)},
    "split": {"input": ("tensor",)},
}


def signature_of(function: Callable[..., Any]) -> inspect.Signature:
    """The signature without other spellings, which functions that are called often spell out."""
    found = inspect.signature(_own(function))
    kept = []
    for p in found.parameters.values():
        if p.default is not ...:
            kept.append(p)
        elif p.name not in _SPELLED_OUT:
            kept.append(p.replace(default=p.empty))
    return found.replace(parameters=kept)


def _own(function: Any) -> Any:
    """The function as written: within autocast, code that takes anything may stand in for its."""
    code = getattr(function, "__code__", None)
    for constant in code.co_consts if code is not None else ():
        if hasattr(constant, "original"):
            return constant.original
    return function


_SPELLED_OUT = frozenset(("x", "a", "x1", "x2", "axis", "old"))


class Others:
    """What the function in front of a public function takes besides its own parameters.

    names       other name -> parameter
    required    parameters that must be given under one of their names
    positional  further parameters, in order, each with the default `...`: cheaper than those that
                go by keyword only. One argument too many is then taken for another name of the
                first parameter, and thus seen; where that has none, they go by keyword
    by_keyword  further parameters that go by keyword only
    place       where the positional ones stand among the function's own parameters
    defaults    of all parameters that may be given by position
    """

    def __init__(self, path: str, name: str, signature: inspect.Signature) -> None:
        every = list(signature.parameters.values())
        before = [p for p in every if p.kind is p.POSITIONAL_OR_KEYWORD]
        self.path, self.name = path, name
        self.before = [p.name for p in before]
        self.default_of = {p.name: ... if p.default is p.empty else p.default for p in every}
        self.own = [p.name for p in every if p.kind is not p.VAR_KEYWORD]
        self.star = next((p.name for p in every if p.kind is p.VAR_POSITIONAL), None)
        self.rest = next((p.name for p in every if p.kind is p.VAR_KEYWORD), None)
        self.names = _other_names(path, every)
        longest = max(map(len, _ORDERS.get(path, ())), default=0)
        self.old = [f"old_{k}" for k in range(longest - len(before) if self.star is None else 0)]
        counted = (before[:1] and before[0].name in self.names.values()) or "input" in self.before
        free = counted and self.star is None
        positional = [n for n, own in self.names.items() if free and own in self.before]
        self.positional = [*self.old, *positional]
        self.by_keyword = [n for n in self.names if n not in positional]
        self.place = len(before)
        self.required = self._required(before)
        self.defaults: Any = tuple(
            ... if p.default is p.empty else p.default
            for p in before
            if p.default is not p.empty or p.name in self.required
        ) + (...,) * len(self.positional)

    def _required(self, before: list[inspect.Parameter]) -> list[str]:
        """A parameter with another name need not be given under its own, nor any after it."""
        called_otherwise = set(self.names.values())
        first = next((k for k, p in enumerate(before) if p.name in called_otherwise), len(before))
        return [p.name for p in before[first:] if p.default is p.empty]

    def lines(self, out: bool) -> list[str]:
        """Source that calls again with every argument under its own name, where one is not."""
        further = [*self.positional, *self.by_keyword]
        tests = [f"{n} is not ..." for n in further] + [f"{n} is ..." for n in self.required]
        if not tests:
            return []
        everything = [*self.own, *further, *(["out"] if out else [])]
        shown = ", ".join(f"{n!r}: {n}" for n in everything)
        rest = f", **{self.rest}" if self.rest else ""
        return [
            f"    if {' or '.join(tests)}:",
            f"        given, named_given = respelled({{{shown}}})",
            f"        return again(*given, **named_given{rest})",
        ]

    def respelled(self, given: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments under their own names; `...` stands for what was not given."""
        found = self._by_own_names(given)
        if self.star is None or not found[self.star]:
            return (), {k: v for k, v in found.items() if k != self.star}
        args = [found.pop(key) for key in self.before]
        return (*args, *found.pop(self.star)), found

    def _by_own_names(self, given: dict[str, Any]) -> dict[str, Any]:
        found = {k: v for k, v in given.items() if k not in self.names and k not in self.old}
        by_position = [given[key] for key in [*self.before, *self.old] if given[key] is not ...]
        if len(by_position) > len(self.before):
            return found | in_new_order(self.path, self.name, self.before, by_position)
        for other, own in self.names.items():
            if given[other] is ...:
                continue
            if found[own] is not self.default_of[own]:
                raise given_twice(self.name, own)
            found[own] = given[other]
        missing = [key for key in self.required if found[key] is ...]
        if missing:
            raise missing_arguments(self.name, missing)
        return found


def given_twice(name: str, parameter: str) -> TypeError:
    """The error for an argument under two names; one too many by position counts as that."""
    return refusal.wrong_type(
        f"{name}() received an invalid combination of arguments: {parameter!r} is given twice, or "
        "more arguments are given than it takes"
    )


def missing_arguments(name: str, missing: list[str]) -> TypeError:
    """The error for arguments that must be given."""
    words, plural = " and ".join(map(repr, missing)), "s" if len(missing) > 1 else ""
    return refusal.wrong_type(
        f"{name}() missing {len(missing)} required positional argument{plural}: {words}"
    )


def _other_names(path: str, parameters: list[inspect.Parameter]) -> dict[str, str]:
    """other name -> parameter; those of the first come first."""
    known = {p.name for p in parameters}
    found: dict[str, str] = {}
    for position, p in enumerate(parameters):
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
            continue
        names = _OTHER_NAMES.get(p.name, ())
        if p.name == "input" or (position == 0 and p.name in _FIRST):
            names = _NAMES_OF_FIRST
        names += _OWN_NAMES.get(path, {}).get(p.name, ())
        found.update((n, p.name) for n in names if n not in known)
    return found


def in_place_function(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    """`torch.sin_(x)` for `x.sin_()`, with the tensor under any of its names."""

    def call(*args: Any, **kwargs: Any) -> Any:
        if not args:
            given = [n for n in _NAMES_OF_FIRST if n in kwargs]
            if len(given) != 1:
                raise missing_arguments(name, ["input"])
            args = (kwargs.pop(given[0]),)
        elif len(args) > 1 and not isinstance(args[0], TensorBase):  # addmv_(beta, self, ...)
            args = (args[1], args[0], *args[2:])
        return method(*args, **kwargs)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = method.__doc__
    return call


def one_of(name: str, parameter: str, own: Any, other: Any) -> Any:
    """An argument that was given under its own name or under another."""
    if own is ... and other is ...:
        raise missing_arguments(name, [parameter])
    if own is not ... and other is not ...:
        raise given_twice(name, parameter)
    return other if own is ... else own


def first_of(name: str, *given: Any) -> Any:
    """The first argument of a function that is called often, under one of its names."""
    found = [value for value in given if value is not ...]
    if not found:
        raise missing_arguments(name, ["input"])
    if len(found) > 1:
        raise given_twice(name, "input")
    return found[0]


def second_and_factor(
    name: str, first: Any, other: Any, old: Any, x2: Any, alpha: Any
) -> tuple[Any, Any]:
    """`other` and `alpha` of add and sub, which functions that are called often look up here."""
    if old is ...:
        return one_of(name, "other", other, x2), alpha
    if x2 is not ...:
        raise given_twice(name, "other")
    found = in_new_order(name.rstrip("_"), name, ["input", "other"], [first, other, old])
    return found["other"], found["alpha"]


# ---- old orders ----------------------------------------------------------------------------------

# What is given by position, T for a tensor and N for a number -> the parameters.
_SCALED = {
    "NTNTT": "beta input alpha {} {}", "NTTT": "beta input {} {}",
    "TNNTT": "input beta alpha {} {}", "TNTT": "input beta {} {}",
}  # fmt: skip
_VALUED = {"TNTT": "input value {} {}"}
_FACTOR_FIRST = {"TNT": "input alpha other"}
_FACTOR_LAST = {"TNN": "input other alpha"}
_ORDERS: dict[str, dict[str, str]] = {
    **dict.fromkeys(("addmm", "addmv", "addbmm", "baddbmm", "addr"), _SCALED),
    **dict.fromkeys(("addcmul", "addcdiv"), _VALUED),
    "add": _FACTOR_FIRST,
    "sub": _FACTOR_FIRST | _FACTOR_LAST,
}


def in_new_order(path: str, name: str, own: list[str], values: list[Any]) -> dict[str, Any]:
    """The arguments of a call whose factors stand where they once did."""
    pattern = "".join("T" if isinstance(v, TensorBase) else "N" for v in values)
    order = _ORDERS[path].get(pattern)
    if order is None:
        raise refusal.wrong_type(
            f"{name}() received an invalid combination of arguments: it takes {len(own)} by "
            f"position, but {len(values)} were given"
        )
    parameters = order.format(*own[1:]).split()
    if pattern != "TNN":
        _warn(name, parameters, own)
    return dict(zip(parameters, values, strict=True))


def _warn(name: str, old: list[str], own: list[str]) -> None:
    text = "This overload of {} is deprecated:\n\t{}({})\nConsider using: {}({}, *, {})"
    factors = [p for p in old if p not in own]
    shown = text.format(name, name, ", ".join(old), name, ", ".join(own), ", ".join(factors))
    warn_once_of("an old order of arguments", shown)
