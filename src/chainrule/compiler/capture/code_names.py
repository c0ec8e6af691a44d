"""What code names: globals, attributes, and words in its constants that may be names."""

from __future__ import annotations

import dis
import functools
import re
from types import CodeType, EllipsisType
from typing import Any

_FIELD = re.compile(r"[.\[]([A-Za-z_]\w*)")  # of a format string: {0.rate}, {config.rate:.2f}


def codes_in(code: CodeType) -> list[CodeType]:
    """The code with that of all functions and classes written inside of it."""
    found = [code]
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            found += codes_in(constant)
    return found


def names_in(code: CodeType) -> set[str]:
    """Names of globals and of attributes."""
    return {name for part in codes_in(code) for name in part.co_names}


def words_in(code: CodeType) -> set[str]:
    """Names in constants: strings, the keywords of patterns, fields of format strings."""
    return {word for part in codes_in(code) for c in part.co_consts for word in _words(c)}


def _words(constant: Any) -> set[str]:
    if isinstance(constant, str):
        return {constant} if constant.isidentifier() else fields_in(constant)
    if isinstance(constant, tuple | frozenset):
        return {word for item in constant for word in _words(item)}
    return set()


def fields_in(text: str) -> set[str]:
    """Attributes that a format string asks for."""
    return set(_FIELD.findall(text)) if "{" in text else set()


@functools.lru_cache(4096)
def globals_in(code: CodeType) -> frozenset[str]:
    """Names that are looked up among the globals: those of attributes are not."""
    return frozenset(
        str(instruction.argval)
        for part in codes_in(code)
        for instruction in dis.get_instructions(part)
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME")
    )


@functools.lru_cache(4096)
def asks_by_position(code: CodeType) -> bool:
    """Whether a pattern such as `Point(1, y)` asks for attributes that only the class names."""
    return any(
        instruction.opname == "MATCH_CLASS"
        for part in codes_in(code)
        for instruction in dis.get_instructions(part)
    )


_IDENTITY = {"is_", "is_not"}  # of `operator`


@functools.lru_cache(4096)
def compares_identity(code: CodeType) -> bool:
    """Whether code asks if something is the same object as another; None and booleans are one."""
    if "id" in globals_in(code) or _IDENTITY & names_in(code):
        return True
    for part in codes_in(code):
        before = None
        for instruction in dis.get_instructions(part):
            if instruction.opname == "IS_OP" and not _is_only_one(before):
                return True
            before = instruction
    return False


def _is_only_one(instruction: dis.Instruction | None) -> bool:
    if instruction is None or instruction.opname != "LOAD_CONST":
        return False
    return instruction.argval is None or isinstance(instruction.argval, bool | EllipsisType)


_SYMBOLS = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "**": "pow",
    "@": "matmul", "&": "and", "|": "or", "^": "xor", "<<": "lshift", ">>": "rshift",
}  # fmt: skip
_COMPARISONS = {
    "<": "__lt__", "<=": "__le__", "==": "__eq__", "!=": "__ne__", ">": "__gt__", ">=": "__ge__",
}  # fmt: skip
_METHODS = {
    "UNARY_NEGATIVE": "__neg__", "UNARY_INVERT": "__invert__", "BINARY_SUBSCR": "__getitem__",
    "BINARY_SLICE": "__getitem__", "STORE_SUBSCR": "__setitem__", "STORE_SLICE": "__setitem__",
    "CONTAINS_OP": "__contains__", "GET_ITER": "__iter__", "FORMAT_VALUE": "__format__",
    "FORMAT_SIMPLE": "__format__", "FORMAT_WITH_SPEC": "__format__",
}  # fmt: skip


@functools.lru_cache(4096)
def operators_in(code: CodeType) -> frozenset[str]:
    """The methods behind the operators that code uses."""
    found = set()
    for part in codes_in(code):
        for instruction in dis.get_instructions(part):
            name, symbol = instruction.opname, instruction.argrepr
            if name in _METHODS:
                found.add(_METHODS[name])
            elif name == "BINARY_OP":
                word = _SYMBOLS.get(symbol.removesuffix("="), "")
                kinds = ("", "r", "i") if symbol.endswith("=") else ("", "r")
                found.update(f"__{kind}{word}__" for kind in kinds)
            elif name == "COMPARE_OP":
                found.add(_COMPARISONS.get(symbol.removeprefix("bool(").removesuffix(")"), ""))
    return frozenset(found - {""})


_GROW = {"__pow__", "__lshift__", "__mul__", "pow", "factorial", "perm", "comb", "prod"}
_LONG_INTEGER = 2_000  # bits; Python refuses to write longer ones, if told so


@functools.lru_cache(4096)
def makes_long_integers(code: CodeType) -> bool:
    """Whether code has integers that Python may refuse to write, or makes them of others."""
    constants = (c for part in codes_in(code) for c in part.co_consts)
    if any(type(c) is int and c.bit_length() > _LONG_INTEGER for c in constants):
        return True
    return bool(_GROW & (operators_in(code) | names_in(code)))
