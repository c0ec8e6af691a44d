"""Entries: the function through which an op is called on tensors, generated from its declaration.

Straight-line code for the usual case, made when the op is first called; `dispatch.general` takes
everything else. `_Writer` writes it: operands, forward, result, then the node with exactly what
the rules of the wanted inputs name.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from ..ops.dtypes import F32, F64
from ..ops.layout import lying_as_operands
from ..ops.schema import Op, rule_names
from . import errors, refusal, source
from .dispatch import (
    FAILURES,
    NUMBERS,
    attach_view,
    explain_failure,
    general,
    lies_as_operands,
    shares_memory,
)
from .late import late
from .node import UNTRACKED, next_key
from .op_rules import rules_of, saved_names
from .record import _UNCHANGED, _shape_dtype, live_node, node_class
from .running_rules import Fix
from .state import STATE
from .value import FACTORY, LAZY, PLAIN, TensorBase

_new = object.__new__


def make_entry(op: Op) -> Callable[..., Any]:
    """The op's function on tensors: specialised where its shape allows that."""
    return _specialise(op) if can_specialise(op) else _unspecialised(op)


def can_specialise(op: Op) -> bool:
    """Whether the op has straight-line code of its own."""
    if "f" in op.refuses or op.name in LAZY:  # the specialised code is for floats
        return False
    return op.n_out == 1 and not op.variadic and not op.random and 1 <= len(op.inputs) <= 4


def _unspecialised(op: Op) -> Callable[..., Any]:
    def call(*args: Any, **params: Any) -> Any:
        return general(op, args, params)

    call.__name__ = call.__qualname__ = op.name
    call.__doc__ = op.doc
    return call


def operator_entry(op: Op, reflected: bool = False) -> Callable[..., Any]:
    """The entry for a Python operator: a foreign operand gives NotImplemented, so that Python asks
    the other object; `reflected` takes the operands in the other order.
    """
    unusual = _reflected_or_not if reflected else general_or_not
    if can_specialise(op):
        return _specialise(op, unusual, reflected, numbers="first" if reflected else "other")
    if reflected:

        def call(a: Any, b: Any) -> Any:
            return unusual(op, (b, a), {})

        return call
    return lambda *args: unusual(op, args, {})


def general_or_not(op: Op, args: tuple[Any, ...], params: dict[str, Any], own: int = 0) -> Any:
    """The op by the general path, or NotImplemented where an operand is foreign.

    `own` is the place of the object whose operator this is: a tensor.
    """
    for a in args:
        if not isinstance(a, _OPERANDS):
            return NotImplemented
    if not isinstance(args[own], TensorBase):  # Tensor.__add__(2, 3)
        raise errors.number_for_tensor(op.name, own, args)
    return general(op, args, params)


def _reflected_or_not(op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
    return general_or_not(op, args, params, len(args) - 1)


_OPERANDS = (TensorBase, *NUMBERS, np.ndarray, np.generic)


def method_entry(op: Op, numbers: str) -> Callable[..., Any]:
    """The entry for users, who may not give numbers everywhere (see `_checked`), and who may
    give operands by name.
    """
    checked = _checked(numbers)
    if can_specialise(op):
        return _specialise(op, checked, numbers=numbers, method=True)

    def call(*args: Any, **params: Any) -> Any:
        return checked(op, *operands_by_name(op, args, params))

    call.__name__ = call.__qualname__ = op.name
    call.__doc__ = op.doc
    return call


def _checked(numbers: str) -> Callable[..., Any]:
    """`general` for users: which operands may be Python numbers is part of a function's signature.

    "all": each, "some": not all of them, "other": not the first, "none": none.
    Rules and composite functions call the plain entry, which takes numbers everywhere.
    """
    if numbers == "all":
        return general

    def checked(op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
        check_numbers(op, args, numbers)
        return general(op, args, params)

    return checked


def check_numbers(op: Op, args: tuple[Any, ...], numbers: str) -> None:
    """Raise where a number stands for an operand that must be a tensor."""
    given = [isinstance(a, _NUMBERS) for a in args]
    if numbers == "none" and any(given):
        raise errors.number_for_tensor(op.name, given.index(True), args)
    if given and (all(given) if numbers == "some" else numbers == "other" and given[0]):
        raise errors.no_such_combination(op.name, args)


_NUMBERS = (*NUMBERS, np.generic)


def function_entry(op: Op, into: Callable[..., Any], numbers: str = "all") -> Callable[..., Any]:
    """The entry as a torch-style function: `input=`, `other=` and `out=` (`into` writes there)."""
    return late(
        op.name, op.doc, lambda: _specialise(op, _checked(numbers), into=into, numbers=numbers)
    )


# NumPy's names for the operands of element-wise functions, which PyTorch takes too.
_NUMPY_NAMES = (("x", "a", "x1", "self"), ("x2",))


def _with_out(writer: _Writer, text: str) -> str:
    """The entry's source with `out=`, and with other names for the operands.

    What is not given is `...`, and more operands than there are show as another name for the first.
    """
    names = [f"a_{n}" for n in writer.names]
    others = [o for _, several in zip(names, _NUMPY_NAMES, strict=False) for o in several]
    given = ", ".join(names)
    params = ", ".join([*writer.op.params, "out=None"])
    passed = "".join(f", {p}={p}" for p in writer.op.params)
    head = [f"def entry({', '.join(f'{n}=...' for n in [*names, *others])}, *, {params}):"]
    tests = [f"{n} is ..." for n in names] + [f"{o} is not ..." for o in others]
    head.append(f"    if {' or '.join(tests)}:")
    groups = ", ".join(
        f"({', '.join([n, *several])})" for n, several in zip(names, _NUMPY_NAMES, strict=False)
    )
    head.append(f"        {given}, = operands(op.name, {groups})")
    head.append("    if out is not None:")
    head.append(f"        return into({writer.op.name!r}, entry({given}{passed}), out, ({given},))")
    return "\n".join(head) + text[text.index("\n") :]


def _operands(name: str, *groups: tuple[Any, ...]) -> list[Any]:
    """The operands, each given under one of its names."""
    found: list[Any] = []
    for own, group in zip(("input", "other"), groups, strict=False):
        given = [value for value in group if value is not ...]
        if not given:
            raise refusal.wrong_type(f"{name}() missing 1 required positional argument: {own!r}")
        if len(given) > 1:
            raise refusal.wrong_type(
                f"{name}() received an invalid combination of arguments: {own!r} is given twice, "
                "or more arguments are given than it takes"
            )
        found.append(given[0])
    return found


def operands_by_name(
    op: Op, args: tuple[Any, ...], params: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Arguments of an element-wise op with all operands by position, under whatever name given."""
    if not params or op.promote == "none":
        return args, params
    rest = dict(params)
    found = list(args)
    for names in _OWN_NAMES[len(args) : len(op.inputs)]:
        given = [n for n in names if n in rest]
        if len(given) != 1:
            return args, params
        found.append(rest.pop(given[0]))
    return tuple(found), rest


_OWN_NAMES = (("input", *_NUMPY_NAMES[0]), ("other", "exponent", *_NUMPY_NAMES[1]))


def _with_second_name(writer: _Writer, text: str) -> str:
    """The source of a method of two operands that takes the second by NumPy's name too."""
    first, second = (f"a_{n}" for n in writer.names)
    params = "".join(f", {p}" for p in writer.op.params)
    head = [f"def entry({first}, {second}=..., x2=...{', *' if params else ''}{params}):"]
    head.append(f"    if x2 is not ... or {second} is ...:")
    head.append(f"        _, {second} = operands(op.name, ({first},), ({second}, x2))")
    return "\n".join(head) + text[text.index("\n") :]


def _with_public_names(writer: _Writer, text: str) -> str:
    """The source with the parameters of an element-wise op under the names users give them by."""
    public = ("input", "exponent" if writer.op.name == "pow" else "other")
    for mine, theirs in zip(writer.names, public, strict=False):
        text = re.sub(rf"\ba_{mine}\b", theirs, text)
    return text


def _specialise(
    op: Op,
    unusual: Callable[..., Any] = general,
    reflected: bool = False,
    into: Any = None,
    numbers: str = "all",
    method: bool = False,
) -> Callable[..., Any]:
    """Generate the straight-line function; see `_Writer` for the shape of the code."""
    writer = _Writer(op, numbers)
    text = writer.text()
    if reflected:
        a, b = writer.names
        text = text.replace(f"def entry(a_{a}, a_{b}):", f"def entry(a_{b}, a_{a}):", 1)
    if into is not None:
        text = _with_out(writer, text)
    elif method and op.promote != "none" and len(writer.names) == 2:
        text = _with_second_name(writer, text)
    if op.promote != "none" and len(writer.names) <= 2:
        text = _with_public_names(writer, text)
    # What is promoted is never in half precision where this code computes.
    forward = op.forward if op.promote == "none" else op.function
    space = {
        "into": into, "op": op, "general": unusual, "forward": forward, "STATE": STATE,
        "PLAIN": PLAIN,
        "ndarray": np.ndarray, "asarray": np.asarray, "new": _new, "Tensor": FACTORY.Tensor,
        "F32": F32, "F64": F64, "C64": _C64, "C128": _C128, "I64": _I64, "BOOL": _BOOL,
        "FITTING": 1 << 31,
        "NodeClass": node_class(op), "next_key": next_key,
        "live_node": live_node, "UNTRACKED": UNTRACKED, "getframe": sys._getframe, "errors": errors,
        "LIBRARY": source.LIBRARY_FILES, "is_library": source.is_library,
        "UNCHANGED": _UNCHANGED, "failed": explain_failure, "attach_view": attach_view,
        "shares_memory": shares_memory, "fitted": _fitted, "operands": _operands,
        "FAILURES": FAILURES, "lying": lying_as_operands,
    }  # fmt: skip
    code = compile(text, f"<chainrule entry {op.name}>", "exec")
    exec(code, space)
    call: Any = space["entry"]
    call.__name__ = call.__qualname__ = op.name
    call.__doc__ = op.doc
    return call


_I64, _BOOL = np.dtype(np.int64), np.dtype(np.bool_)
_C64, _C128 = np.dtype(np.complex64), np.dtype(np.complex128)


def _fitted(*payloads: Any) -> Any:
    return Fix(tuple(_shape_dtype(p) for p in payloads))


class _Writer:
    """Writes the source of an entry, line by line."""

    def __init__(self, op: Op, numbers: str = "all") -> None:
        self.op = op
        self.numbers = numbers
        self.names: tuple[str, ...] = op.inputs
        self.lines: list[str] = []
        self.rules = rules_of(op)
        if op.joint:
            self.diff = tuple(n for n in op.inputs if n not in op.nondiff)
        else:
            self.diff = tuple(n for n in op.inputs if n in self.rules)

    def text(self) -> str:
        op = self.op
        params = ", ".join(op.params)
        star = ", *, " + params if params else ""
        arguments = ", ".join(f"a_{n}" for n in self.names)
        passed = ", ".join(f"{p!r}: {p}" for p in op.params)
        self.again = f"return general(op, ({arguments},), {{{passed}}})"
        self.add(f"def entry({arguments}{star}):")
        self.add("    w = STATE.w")
        self.add(f"    if w > 2: {self.again}")
        self.operands()
        if op.view:
            self.add(f"    if a_{self.names[0]}._lazy: {self.again}")
        pairs = "".join(f", {p}={p}" for p in op.params)
        values = ", ".join(f"x_{n}" for n in self.names)
        self.add("    try:")
        self.add(f"        r = {op.inline or f'forward({values}{pairs})'}")
        self.add("    except FAILURES as problem:")
        self.add(f"        raise failed(op, ({arguments},), {{{passed}}}, problem) from None")
        self.add("    if r.__class__ is not ndarray: r = asarray(r)")
        if lies_as_operands(op):
            self.layout(values)
        self.add("    t = new(Tensor); t._a = r; t._grad = None; t._rare = None; t._view = None")
        if self.diff:
            self.recording(passed)
        self.add("    t._rg = False; t._node = None")
        if op.view:
            n = self.names[0]
            self.add(f"    if shares_memory(r, x_{n}):")
            self.add(f"        attach_view(t, a_{n}, op, {{{passed}}})")
            self.add("        return t")
        self.add("    t._v = [0] if w != 2 else None")
        self.add("    return t")
        return "\n".join(self.lines)

    def add(self, line: str) -> None:
        self.lines.append(line)

    def layout(self, values: str) -> None:
        """NumPy's order of dimensions is PyTorch's where all operands are in C order, and where
        there are no two of them: to ask for flags takes a twentieth of a small op's time."""
        number = self.op.promote != "none" and len(self.names) > 1
        plain = "(x_{n}.__class__ is ndarray and not x_{n}.flags.c_contiguous)"
        test = plain if number else "not x_{n}.flags.c_contiguous"
        tests = [test.format(n=n) for n in self.names]
        self.add(f"    if r.ndim > 1 and ({' or '.join(tests)}): r = lying(r, {values})")

    def operands(self) -> None:
        if self.op.promote == "none":
            for n in self.names:
                self.add(f"    if a_{n}.__class__ not in PLAIN: {self.again}")
                self.add(f"    x_{n} = a_{n}._a; r_{n} = a_{n}._rg")
            return
        if len(self.names) == 2 and not self.op.nondiff:
            self.binary_operands()
        else:
            self.add("    dt = None")
            for n in self.names:
                self.any_operand(n)
            self.add(f"    if dt is None: {self.again}")
        self.add("    if dt is not F32 and dt is not F64:")
        for line in self.whole_numbers():
            self.add(f"        {line}")

    def whole_numbers(self) -> list[str]:
        """What is neither float32 nor float64 takes the general path, but for integers and truth
        values that an op takes as they are; of numbers beside them, integers that surely fit."""
        op = self.op
        if op.promote != "same" or "i" in op.refuses:
            return (
                [f"if {self.not_complex()}: {self.again}"] if self.not_complex() else [self.again]
            )
        truths = "b" not in op.refuses and not op.refuses_operands
        other = "dt is not I64 and dt is not BOOL" if truths else "dt is not I64"
        if complex_too := self.not_complex():
            other = f"{other} and {complex_too}"
        lines = [f"if {other}: {self.again}"]
        for n in self.names:
            number = f"x_{n}.__class__ is not ndarray"
            fits = f"dt is I64 and x_{n}.__class__ is int and -FITTING < x_{n} < FITTING"
            if complex_too:
                fits += " or dt is C64 or dt is C128"
            lines.append(f"if {number} and not ({fits}): {self.again}")
        return lines

    def not_complex(self) -> str:
        """The test that operands are not complex, for ops that take such as they are."""
        plain = self.op.promote in ("same", "float") and "c" not in self.op.refuses
        return "dt is not C64 and dt is not C128" if plain else ""

    def any_operand(self, n: str) -> None:
        free = n in self.op.nondiff and bool(self.diff)
        self.add(f"    c = a_{n}.__class__")
        self.add("    if c in PLAIN:")
        self.add(f"        x_{n} = a_{n}._a")
        if not free:
            self.add(f"        if dt is None: dt = x_{n}.dtype")
            self.add(f"        elif dt is not x_{n}.dtype: {self.again}")
        self.add(f"        r_{n} = a_{n}._rg")
        tensor_only = self.numbers == "none" or (self.numbers == "other" and n == self.names[0])
        if not free and not tensor_only:
            self.add(f"    elif c is float or c is int: x_{n} = a_{n}; r_{n} = False")
        self.add(f"    else: {self.again}")

    def binary_operands(self) -> None:
        a, b = self.names
        self.add(f"    ca = a_{a}.__class__; cb = a_{b}.__class__")
        self.add("    if ca in PLAIN:")
        self.add(f"        x_{a} = a_{a}._a; dt = x_{a}.dtype; r_{a} = a_{a}._rg")
        self.add("        if cb in PLAIN:")
        self.add(f"            x_{b} = a_{b}._a; r_{b} = a_{b}._rg")
        self.add(f"            if x_{b}.dtype is not dt: {self.again}")
        if self.numbers not in ("none", "first"):
            self.add(f"        elif cb is float or cb is int: x_{b} = a_{b}; r_{b} = False")
        self.add(f"        else: {self.again}")
        if self.numbers not in ("none", "other"):
            self.add("    elif cb in PLAIN and (ca is float or ca is int):")
            self.add(f"        x_{b} = a_{b}._a; dt = x_{b}.dtype; r_{b} = a_{b}._rg")
            self.add(f"        x_{a} = a_{a}; r_{a} = False")
        self.add(f"    else: {self.again}")

    def flag(self, n: str) -> str:
        return f"r_{n}"

    def recording(self, passed: str) -> None:
        op = self.op
        flags = " or ".join(self.flag(n) for n in self.diff)
        self.add(f"    if w == 0 and ({flags}):")
        if op.promote == "none" and not op.view:
            # Numbers in a rule make half precision wider: the general path casts gradients back.
            self.add(f"        d = x_{self.diff[0]}.dtype")
            self.add(f"        if d is not F32 and d is not F64 and d.itemsize == 2: {self.again}")
        for n in self.names:
            if n not in self.diff:
                self.add(f"        e_{n} = None")
                continue
            self.add(f"        if {self.flag(n)}:")
            self.add(f"            e_{n} = a_{n}._node")
            self.add(f"            if a_{n}._view is not None:")
            self.add(f"                e_{n} = live_node(a_{n})")
            self.add(f"                if e_{n} is UNTRACKED: {self.again}")
            self.add(f"            if e_{n} is None: e_{n} = a_{n}")
            self.add(f"        else: e_{n} = None")
        self.add("        node = new(NodeClass)")
        self.add("        node.key = next_key()")
        self.add(f"        node.parents = ({', '.join('e_' + n for n in self.names)},)")
        self.add("        f = getframe(1); c = f.f_code; own = LIBRARY.get(c.co_filename)")
        self.add("        while own is not False and (own or is_library(c.co_filename)):")
        self.add("            f = f.f_back")
        self.add("            if f is None: break")
        self.add("            c = f.f_code; own = LIBRARY.get(c.co_filename)")
        self.add("        node.code = c; node.lasti = 0 if f is None else f.f_lasti")
        self.add("        node.meta = None; node.hooks = None")
        if op.broadcasts and len(self.names) > 1:
            # A gradient needs summing only where an operand was broadcast.
            tests = [f"({self.flag(n)} and x_{n}.shape != s)" for n in self.diff]
            self.add("        s = r.shape")
            every = ", ".join(
                f"(x_{n}.shape if x_{n}.__class__ is ndarray else None)" for n in self.names
            )
            self.add(f"        node.fix = ({every},) if {' or '.join(tests)} else None")
            self.fixing_complex()
        elif op.promote == "none":
            # NumPy widens half precision times a Python number, and complex partials need their
            # conjugate: gradients of such types are looked at one by one.
            values = ", ".join(f"x_{n}" for n in self.names)
            self.add("        d = r.dtype")
            self.add(f"        node.fix = None if d is F32 or d is F64 else fitted({values})")
        else:
            self.add("        node.fix = None")
            self.fixing_complex()
        self.saving()
        self.add("        t._rg = True; t._node = node")
        if op.view:
            n = op.inputs[0]
            self.add(f"        m = r.base; k = x_{n}.base")
            self.add(
                f"        if m is x_{n} or (m is not None and m is k) or shares_memory(r, x_{n}):"
            )
            self.add(f"            b = a_{n}._view; t._v = v = a_{n}._v")
            self.add(f"            if v is None: attach_view(t, a_{n}, op, {{{passed}}})")
            self.add(
                f"            elif b is None: t._view = [a_{n}, None, op, {{{passed}}}, v[0], 0]"
            )
            self.add(f"            else: t._view = [b[0], b, op, {{{passed}}}, v[0], b[5]]")
            self.add("        else: t._v = [0]")
        else:
            self.add("        t._v = v")
        self.add("        return t")

    def fixing_complex(self) -> None:
        """Complex partials need their conjugate, real inputs of complex results the real part."""
        if self.not_complex():
            values = ", ".join(f"x_{n}" for n in self.names)
            test = "dt is not F32 and (dt is C64 or dt is C128)"
            self.add(f"        if {test}: node.fix = fitted({values})")

    def saving(self) -> None:
        op = self.op
        if not op.view or any(op.classify(n)[0] == "out" for n in saved_names(op)):
            self.add("        v = [0]")
        values: list[str] = []
        tail: list[str] = []
        for k, name in enumerate(saved_names(op)):
            kind, detail = op.classify(name)
            wanted = self.wanted(name)
            if kind == "in":
                n = op.inputs[int(detail)]
                plain_number = op.promote != "none"
                self.add(f"        q{k} = UNCHANGED")
                test = f"{wanted} and " if wanted else ""
                test += f"x_{n}.__class__ is ndarray" if plain_number else "True"
                self.add(f"        if {test}:")
                self.add(f"            q{k} = a_{n}._v")
                self.add(f"            if q{k} is None: raise errors.inference_saved()")
                values.append(f"x_{n} if {wanted} else None" if wanted else f"x_{n}")
                tail += [f"q{k}", f"q{k}[0]"]
            elif kind == "out":
                values.append(f"r if {wanted} else None" if wanted else "r")
                # Nobody is told of a change to a result that no wanted rule asked for.
                tail += [f"v if {wanted} else UNCHANGED" if wanted else "v", "0"]
            elif kind == "param":
                values.append(name)
            elif kind.startswith("in_"):
                n = op.inputs[int(detail)]
                values.append(self.about(f"x_{n}", kind[3:]))
            else:
                values.append(self.about("r", kind[4:]))
        inside = ", ".join([*values, *tail])
        if not inside:
            self.add("        node.s = ()")
        elif not tail:  # a list: nothing that backward frees
            self.add(f"        node.s = [{inside}]")
        elif held := self.held():
            self.add(f"        node.s = ({inside},) if {held} else [{inside}]")
        else:
            self.add(f"        node.s = ({inside},)")

    def held(self) -> str:
        """The condition under which something that backward frees is saved; '' when always."""
        op = self.op
        if op.joint or op.frees_numbers:
            return ""
        tests: list[Any] = []
        for n in self.diff:
            kinds = {m: op.classify(m)[0] for m in rule_names(self.rules[n][1])}
            if n in kinds or "out" in kinds.values():
                tests.append(self.flag(n))
                continue
            others = [m for m, kind in kinds.items() if kind == "in"]
            arrays = " or ".join(f"x_{m}.__class__ is ndarray" for m in others)
            if others:
                plain = op.promote == "none"
                tests.append(self.flag(n) if plain else f"({self.flag(n)} and ({arrays}))")
        if tests == [self.flag(n) for n in self.diff]:
            return ""
        return " or ".join(tests) or "False"

    def about(self, value: str, what: str) -> str:
        plain = f"{value}.flags.fnc" if what == "fortran" else f"{value}.{what}"
        if self.op.promote == "none" or value == "r":
            return plain
        missing = {"shape": "()", "ndim": "0", "fortran": "False", "dtype": "None"}[what]
        return f"({plain} if {value}.__class__ is ndarray else {missing})"

    def wanted(self, name: str) -> str:
        """The condition under which a saved value is needed; '' when always."""
        if self.op.joint:
            return ""
        users = [n for n in self.diff if name in rule_names(self.rules[n][1])]
        if set(users) == set(self.diff):
            return ""
        return "(" + " or ".join(self.flag(n) for n in users) + ")" if users else "False"
