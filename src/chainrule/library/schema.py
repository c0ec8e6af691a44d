"""Schemas of operators: `ns::name(Tensor x, int n=2) -> Tensor` as text and as an object."""

from __future__ import annotations

import ast
import inspect
import re
import types
import typing
from collections.abc import Sequence
from typing import Any, NamedTuple

from ..ops.dtypes import dtype as DType
from ..tensor import Tensor
from ..tensor.device import device as Device

_HEAD = re.compile(
    r"^\s*(?:(?P<name>[\w:.]+))?\((?P<arguments>.*)\)\s*->\s*(?P<returns>.*?)\s*$", re.S
)
_WRITES = re.compile(r"\((?P<alias>[^)]*)\)")


class AliasInfo(str):
    """A mark: memory that an argument shares with a result, `a`, or `a!` where it is written."""

    __slots__ = ()

    @property
    def is_write(self) -> bool:
        """Whether the memory is written."""
        return "!" in self

    @property
    def before_set(self) -> set[str]:
        """The names of the memory before the call."""
        return {f"alias::{self.rstrip('!').strip()}"}

    after_set = before_set


class Argument(NamedTuple):
    """One argument, or one result, of an operator."""

    name: str
    type: str
    default: Any
    kwarg_only: bool
    alias_info: AliasInfo | None

    @property
    def default_value(self) -> Any:
        """The default; None where there is none."""
        return None if self.default is inspect.Parameter.empty else self.default

    def has_default_value(self) -> bool:
        """Whether the argument may be left out."""
        return self.default is not inspect.Parameter.empty

    @property
    def is_write(self) -> bool:
        """Whether the operator writes into it."""
        return self.alias_info is not None and self.alias_info.is_write


class FunctionSchema:
    """The signature of an operator.

    >>> s = FunctionSchema("my::scale(Tensor x, *, float by=2.0) -> Tensor")
    >>> s.name, [a.name for a in s.arguments], s.arguments[1].default_value, s.is_mutable
    ('my::scale', ['x', 'by'], 2.0, False)
    """

    def __init__(self, text: str) -> None:
        found = _HEAD.match(text)
        if found is None:
            raise RuntimeError(
                f"{text!r} is no schema\n  Fix: write it like "
                "'name(Tensor x, int n=2, *, float? eps=None) -> Tensor'."
            )
        self.text = " ".join(text.split())
        name, _, overload = (found["name"] or "").partition(".")
        self.name, self.overload_name = name, overload
        self.arguments = _arguments(found["arguments"])
        self.returns = _returns(found["returns"])

    @property
    def is_mutable(self) -> bool:
        """Whether it writes into an argument."""
        return any(a.is_write for a in self.arguments)

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """The arguments of a call by name, with defaults."""
        given = dict(kwargs)
        places = [a for a in self.arguments if not a.kwarg_only]
        if len(args) > len(places):
            raise RuntimeError(
                f"{self.name}() expected at most {len(places)} argument(s) but received "
                f"{len(args)} argument(s). Declaration: {self.text}"
            )
        found: dict[str, Any] = {}
        for k, a in enumerate(self.arguments):
            if k < len(args) and not a.kwarg_only:
                value = args[k]
            elif a.name in given:
                value = given.pop(a.name)
            elif a.has_default_value():
                value = a.default
            else:
                raise RuntimeError(
                    f"{self.name}() is missing value for argument '{a.name}'. "
                    f"Declaration: {self.text}"
                )
            _check(self, k, a, value)
            found[a.name] = value
        if given:
            raise RuntimeError(
                f"Unknown keyword argument '{next(iter(given))}' for operator '{self.name}'. "
                f"Schema: {self.text}"
            )
        return found

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FunctionSchema) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)


def _check(schema: FunctionSchema, place: int, argument: Argument, value: Any) -> None:
    wants_tensor = argument.type in ("Tensor", "Tensor?")
    if not wants_tensor or isinstance(value, Tensor) or hasattr(value, "__torch_function__"):
        return
    if value is None and argument.type == "Tensor?":
        return
    if schema.name.startswith("aten::") and isinstance(value, bool | int | float | complex):
        return  # a number counts as a tensor of no dimensions there
    raise RuntimeError(
        f"{schema.name}() Expected a value of type '{argument.type}' for argument "
        f"'{argument.name}' but instead found type '{type(value).__name__}'.\nPosition: {place}\n"
        f"Value: {value!r:.80}\nDeclaration: {schema.text}"
    )


def _split(text: str) -> list[str]:
    """Parts between commas that are in no brackets."""
    parts, depth, start = [], 0, 0
    for k, sign in enumerate(text):
        depth += (sign in "([") - (sign in ")]")
        if sign == "," and depth == 0:
            parts.append(text[start:k])
            start = k + 1
    parts.append(text[start:])
    return [p.strip() for p in parts if p.strip()]


def _arguments(text: str) -> list[Argument]:
    found, named = [], False
    for part in _split(text):
        if part == "*":
            named = True
            continue
        left, equals, default = part.partition("=")
        kind, _, name = left.strip().rpartition(" ")
        kind, alias = _bare(kind.strip())
        value = _value(default.strip()) if equals else inspect.Parameter.empty
        found.append(Argument(name.strip(), kind, value, named, alias))
    return found


def _returns(text: str) -> list[Argument]:
    inner = text[1:-1] if text.startswith("(") and text.endswith(")") else text
    found = []
    for part in _split(inner):
        kind, alias = _bare(part)
        kind, _, name = kind.partition(" ")
        found.append(Argument(name, kind, inspect.Parameter.empty, False, alias))
    return found


def _bare(kind: str) -> tuple[str, AliasInfo | None]:
    written = _WRITES.search(kind)
    return (_WRITES.sub("", kind), AliasInfo(written["alias"])) if written else (kind, None)


def _value(text: str) -> Any:
    words = {"None": None, "True": True, "False": False}
    if text in words:
        return words[text]
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return text  # a name such as `Mean` or `contiguous_format`


# ---- from a Python function ----------------------------------------------------------------------

_KINDS: dict[Any, str] = {
    Tensor: "Tensor", int: "SymInt", float: "float", bool: "bool", str: "str", DType: "ScalarType",
    Device: "Device",
}  # fmt: skip


def _kind_of(annotation: Any) -> str | None:
    """The schema's word for an annotation."""
    if annotation in _KINDS:
        return _KINDS[annotation]
    if annotation in (int | float | bool, typing.Union[int, float, bool], int | float):  # noqa: UP007
        return "Scalar"
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        rest = tuple(i for i in inner if i is not type(None))
        if len(rest) == len(inner):
            return None
        known = _kind_of(rest[0]) if len(rest) == 1 else _kind_of(typing.Union[rest])  # noqa: UP007
        return f"{known}?" if known else None
    if origin in (list, Sequence, tuple) and inner:
        members = {i for i in inner if i is not ...}
        known = _kind_of(members.pop()) if len(members) == 1 else None
        return f"{known}[]" if known else None
    return None


def infer_schema(
    prototype_function: Any, /, *, mutates_args: Any, op_name: str | None = None, tags: Any = ()
) -> str:
    """The schema of a function, from its annotations.

    >>> import chainrule as torch
    >>> def f(x: torch.Tensor, n: int = 2) -> torch.Tensor: ...
    >>> infer_schema(f, mutates_args=())
    '(Tensor x, SymInt n=2) -> Tensor'
    """
    signature = inspect.signature(prototype_function)

    def wrong(what: str) -> ValueError:
        return ValueError(f"infer_schema(func): {what} Got func with signature {signature})")

    space = getattr(inspect.unwrap(prototype_function), "__globals__", {})
    everything = mutates_args == "unknown"
    written = set() if everything else set(mutates_args)
    unknown = written - set(signature.parameters)
    if unknown:
        raise wrong(
            f"{sorted(unknown)} in mutates_args were not found in the custom op's signature."
        )
    parts, named = [], False
    for k, p in enumerate(signature.parameters.values()):
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD, p.POSITIONAL_ONLY):
            raise wrong("We do not support positional-only args, varargs, or varkwargs.")
        if p.kind is p.KEYWORD_ONLY and not named:
            parts.append("*")
            named = True
        parts.append(_parameter(p, k, everything or p.name in written, space, wrong))
    returned = _returned(_evaluated(signature.return_annotation, space, wrong), wrong)
    return f"{op_name or ''}({', '.join(parts)}) -> {returned}"


def _parameter(p: Any, place: int, writes: bool, space: Any, wrong: Any) -> str:
    if p.annotation is p.empty:
        raise wrong(f"Parameter {p.name} must have a type annotation.")
    kind = _kind_of(_evaluated(p.annotation, space, wrong))
    if kind is None:
        raise wrong(
            f"Parameter {p.name} has unsupported type {p.annotation}. The valid types are: Tensor, "
            "int, float, bool, str, Number, torch.dtype, torch.device, Optional and lists of them."
        )
    if writes:
        if not kind.startswith("Tensor"):
            raise wrong(f"Parameter {p.name} is in mutable_args but only Tensors can be mutated")
        kind = f"Tensor(a{place}!){kind.removeprefix('Tensor')}"
    if p.default is p.empty:
        return f"{kind} {p.name}"
    if isinstance(p.default, str):
        return f'{kind} {p.name}="{p.default}"'
    if p.default is None or isinstance(p.default, bool | int | float):
        return f"{kind} {p.name}={p.default}"
    if isinstance(p.default, DType):
        return f"{kind} {p.name}={p.default.name}"
    raise wrong(f"Parameter {p.name} has an unsupported default value type {type(p.default)}.")


def _evaluated(annotation: Any, space: dict[str, Any], wrong: Any) -> Any:
    """An annotation that was written as text, in the names of its module."""
    if not isinstance(annotation, str):
        return annotation
    try:
        return eval(annotation, {**vars(typing), **space})  # the user's own source
    except Exception as problem:
        raise wrong(
            f"Unsupported type annotation {annotation}. It is not a type. "
            f"({type(problem).__name__}: {problem})"
        ) from problem


def _returned(annotation: Any, wrong: Any) -> str:
    if annotation is inspect.Signature.empty:
        raise wrong("No return type annotation was provided. Please add one.")
    if annotation is None or annotation is type(None):
        return "()"
    if typing.get_origin(annotation) is tuple:
        kinds = [_kind_of(a) for a in typing.get_args(annotation)]
        if None not in kinds:
            return f"({', '.join(map(str, kinds))})"
    elif (kind := _kind_of(annotation)) is not None:
        return kind
    raise wrong(f"Return has unsupported type {annotation}.")
