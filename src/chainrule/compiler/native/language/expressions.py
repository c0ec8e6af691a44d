"""The expressions of kernels in LLVM text: numbers, elements, operators, calls.

Numbers written in the source have no type of their own: they take that of the other operand.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from typing import Any, NoReturn, Protocol

from ...text.assembly import FLOATS, LLVM_TYPES, UNSIGNED, Function, Lanes, Reg, memory_type
from . import words
from .words import Inlined, PerType

_INTEGER, _FLOAT = "an integer", "a float"  # types of numbers in the source
POINTER = "ptr:"
_NAMED_TYPES = ("i32", "i64", "u8", "u32", "u64", "f32", "f64")
_COMPARISONS = {
    ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Eq: "eq", ast.NotEq: "ne",
}  # fmt: skip
_BITWISE = {ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor", ast.LShift: "shl"}


class KernelError(SyntaxError):
    """A kernel uses something outside of the subset; the text names the line."""


def llvm_type(dtype: str) -> str:
    """The LLVM type of a register."""
    return "ptr" if dtype.startswith(POINTER) else LLVM_TYPES[dtype]


class Callees(Protocol):
    """The module that a function is written into, as its expressions see it."""

    declarations: set[str]

    def inlined(self, function: Inlined, types: list[str], generic: str) -> tuple[str, str]:
        """Define a function that is called; its name and the type of its result."""
        ...

    def loop_note(self, *hints: str) -> str:
        """A note for LLVM on a loop's last branch."""
        ...


# What the words of the language become: `word_texts.py` fills it.
WORDS: dict[str, Callable[[Any, ast.Call], Reg]] = {}


class Expressions:
    """Writes expressions into one function; `translate.Writer` adds the statements."""

    def __init__(
        self, module: Callees, function: Callable[..., Any], generic: str, types: list[str],
        exact: bool, is_kernel: bool = False,
    ) -> None:  # fmt: skip
        self.module, self.generic, self.is_kernel = module, generic, is_kernel
        self.source = function
        self.globals = function.__globals__
        self.tree: Any = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
        self.f = Function(module.declarations)
        self.w = Lanes(self.f, 1)
        self.flags = "" if exact else " contract"
        self.slots: dict[str, tuple[str, str]] = {}  # name -> (stack slot, type)
        self.loops: list[tuple[str, str]] = []  # (where continue goes, where break goes)
        self.result: str | None = None
        self.shares: str | None = None
        self.written: set[str] = set()
        self.parts: dict[str, str] = {}  # a name for a part of an array -> the array's name
        self.ended = False
        names = [a.arg for a in self.tree.args.args]
        self.parameters = list(zip(names, types, strict=True))

    def refuse(self, node: ast.AST, text: str) -> NoReturn:
        """Raise, naming the line."""
        start = self.source.__code__.co_firstlineno
        line = start + getattr(node, "lineno", 1) - 1
        raise KernelError(f"{self.source.__code__.co_filename}:{line}: {text}")

    def start(self, label: str) -> None:
        """Begin a block that can be reached."""
        self.f.start(label)
        self.ended = False

    def jump(self, label: str) -> None:
        """Go there, unless this place is not reached."""
        if not self.ended:
            self.f.do(f"br label %{label}")
        self.ended = True

    # ---- types -------------------------------------------------------------------------------

    def settle(self, value: Reg, dtype: str | None = None) -> Reg:
        """A typed register: numbers of the source become `dtype`, else i64 or the float type."""
        if value.dtype == _INTEGER:
            return self.w.const(dtype or "i64", value.name)
        if value.dtype == _FLOAT:
            return self.w.const(dtype or self.generic, value.name)
        return value

    def alike(self, a: Reg, b: Reg) -> tuple[Reg, Reg]:
        """Both in one type: an integer meets a float as a float, a float a double as a double."""
        loose = (_INTEGER, _FLOAT)
        if a.dtype in loose and b.dtype in loose:
            dtype = None if _FLOAT not in (a.dtype, b.dtype) else self.generic
            return self.settle(a, dtype), self.settle(b, dtype)
        if a.dtype in loose or b.dtype in loose:
            number, other = (a, b) if a.dtype in loose else (b, a)
            if number.dtype == _FLOAT and other.dtype not in FLOATS:
                other = self.w.convert(other, self.generic)
            number = self.settle(number, other.dtype)
            return (number, other) if a.dtype in loose else (other, number)
        if a.dtype == b.dtype:
            return a, b
        order = ["bool", "u8", "i32", "u32", "i64", "u64", "f32", "f64"]
        dtype = max(a.dtype, b.dtype, key=order.index)
        return self.w.convert(a, dtype), self.w.convert(b, dtype)

    # ---- expressions -------------------------------------------------------------------------

    def value(self, node: ast.expr) -> Reg:
        """The value of an expression."""
        method = getattr(self, f"eval_{type(node).__name__}", None)
        if method is None:
            self.refuse(node, f"kernels know no {type(node).__name__}")
        return method(node)

    def number(self, value: Any, node: ast.AST) -> Reg:
        """A number of the source, still without a type."""
        if isinstance(value, bool):
            return self.w.const("bool", value)
        if isinstance(value, int):
            return Reg(value, _INTEGER)  # type: ignore[arg-type] - settled before it is written
        if isinstance(value, float):
            return Reg(value, _FLOAT)  # type: ignore[arg-type]
        self.refuse(node, f"{value!r} is no number")

    def eval_Constant(self, node: ast.Constant) -> Reg:
        return self.number(node.value, node)

    def constant(self, node: ast.expr) -> Any:
        """The Python object a global name (or an element of it) stands for."""
        if isinstance(node, ast.Subscript):
            return self.constant(node.value)[ast.literal_eval(node.slice)]
        if not isinstance(node, ast.Name) or node.id not in self.globals:
            self.refuse(node, f"{ast.unparse(node)} is not known here")
        found = self.globals[node.id]
        return getattr(found, self.generic) if isinstance(found, PerType) else found

    def eval_Name(self, node: ast.Name) -> Reg:
        if node.id not in self.slots:
            return self.number(self.constant(node), node)
        slot, dtype = self.slots[node.id]
        return Reg(self.f.value(f"load {llvm_type(dtype)}, ptr {slot}"), dtype)

    def eval_Subscript(self, node: ast.Subscript) -> Reg:
        if isinstance(node.value, ast.Name) and node.value.id not in self.slots:
            return self.number(self.constant(node), node)
        base = self.value(node.value)
        dtype = self.pointed(base, node)
        if isinstance(node.slice, ast.Slice):
            if node.slice.upper is not None or node.slice.step is not None:
                self.refuse(node, "a part of an array is x[start:]")
            start = self.integer(node.slice.lower) if node.slice.lower else Reg("0", "i64")
            return Reg(self.element(base, start), base.dtype)
        place = self.element(base, self.index(node.slice))
        loaded = self.f.value(f"load {memory_type(dtype)}, ptr {place}")
        if dtype == "bool":
            return Reg(self.f.value(f"icmp ne i8 {loaded}, 0"), "bool")
        return Reg(loaded, dtype)

    def pointed(self, base: Reg, node: ast.AST) -> str:
        """The type of an array's elements."""
        if not base.dtype.startswith(POINTER):
            self.refuse(node, f"a value of type {base.dtype} has no elements")
        return base.dtype.removeprefix(POINTER)

    def index(self, node: ast.expr) -> Reg:
        return self.integer(node)

    def integer(self, node: ast.expr) -> Reg:
        """An expression as i64."""
        return self.convert(self.value(node), "i64")

    def element(self, base: Reg, index: Reg) -> str:
        """The address of an element."""
        kind = memory_type(base.dtype.removeprefix(POINTER))
        return self.f.value(f"getelementptr inbounds {kind}, ptr {base.name}, i64 {index.name}")

    def convert(self, value: Reg, dtype: str) -> Reg:
        """The value in another type."""
        if value.dtype == _FLOAT and dtype not in FLOATS:
            value = self.settle(value)
        return self.w.convert(self.settle(value, dtype), dtype)

    def eval_BinOp(self, node: ast.BinOp) -> Reg:
        return self.arithmetic(node, node.op, self.value(node.left), self.value(node.right))

    def arithmetic(self, node: ast.AST, operator: ast.operator, a: Reg, b: Reg) -> Reg:
        """a operator b; numbers of the source are computed here."""
        if isinstance(a.name, int | float) and isinstance(b.name, int | float):
            folded = ast.BinOp(ast.Constant(a.name), operator, ast.Constant(b.name))
            expression = ast.fix_missing_locations(ast.Expression(folded))
            return self.number(eval(compile(expression, "", "eval")), node)
        kind = type(operator)
        if kind is ast.Div and {a.dtype, b.dtype}.isdisjoint({*FLOATS, _FLOAT}):
            self.refuse(node, "/ is for floats; convert first, or use //")
        a, b = self.alike(a, b)
        if a.dtype in FLOATS:
            code = {ast.Add: "fadd", ast.Sub: "fsub", ast.Mult: "fmul", ast.Div: "fdiv"}.get(kind)
            if code is None:
                self.refuse(node, f"no {kind.__name__} of floats")
            return self.w.binary(code + (self.flags if kind is not ast.Div else ""), a, b)
        return self.w.binary(self.integer_code(node, kind, a.dtype), a, b)

    def integer_code(self, node: ast.AST, kind: type, dtype: str) -> str:
        """The instruction; // and % are for numbers that are not negative."""
        wraps = "" if dtype in UNSIGNED else " nsw"
        plain = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul"}.get(kind)
        if plain is not None:
            return plain + wraps
        codes = {**_BITWISE, ast.FloorDiv: "udiv", ast.Mod: "urem"}
        codes[ast.RShift] = "lshr" if dtype in UNSIGNED else "ashr"
        if kind not in codes:
            self.refuse(node, f"no {kind.__name__} of integers")
        return codes[kind]

    def eval_UnaryOp(self, node: ast.UnaryOp) -> Reg:
        if isinstance(node.op, ast.Not):
            return self.w.binary("xor", self.truth(node.operand), Reg("true", "bool"))
        value = self.value(node.operand)
        if isinstance(value.name, int | float):
            return self.number(-value.name if isinstance(node.op, ast.USub) else ~value.name, node)  # pyright: ignore[reportOperatorIssue]
        if isinstance(node.op, ast.USub):
            return self.w.neg(value)
        if isinstance(node.op, ast.Invert):
            return self.w.binary("xor", value, self.w.const(value.dtype, -1))
        self.refuse(node, "unknown sign")

    def eval_Compare(self, node: ast.Compare) -> Reg:
        result, left = None, self.value(node.left)
        for operator, operand in zip(node.ops, node.comparators, strict=True):
            if isinstance(operator, ast.Is | ast.IsNot):
                code = "eq" if isinstance(operator, ast.Is) else "ne"
                return Reg(self.f.value(f"icmp {code} ptr {left.name}, null"), "bool")
            right = self.value(operand)
            a, b = self.alike(left, right)
            one = self.w.compare(_COMPARISONS[type(operator)], a, b)
            result = one if result is None else self.w.binary("and", result, one)
            left = right
        assert result is not None
        return result

    def truth(self, node: ast.expr) -> Reg:
        """A condition."""
        return self.convert(self.value(node), "bool")

    def eval_BoolOp(self, node: ast.BoolOp) -> Reg:
        """`and` and `or`: the right side is evaluated only where the left does not decide."""
        slot = self.f.alloca("i1")
        done = self.f.block_name("decided")
        for k, operand in enumerate(node.values):
            value = self.truth(operand)
            self.f.do(f"store i1 {value.name}, ptr {slot}")
            if k == len(node.values) - 1:
                break
            more = self.f.block_name("undecided")
            order = (more, done) if isinstance(node.op, ast.And) else (done, more)
            self.f.do(f"br i1 {value.name}, label %{order[0]}, label %{order[1]}")
            self.start(more)
        self.jump(done)
        self.start(done)
        return Reg(self.f.value(f"load i1, ptr {slot}"), "bool")

    def eval_IfExp(self, node: ast.IfExp) -> Reg:
        """a if condition else b; both sides are evaluated."""
        condition = self.truth(node.test)
        a, b = self.alike(self.value(node.body), self.value(node.orelse))
        return self.w.select(condition, a, b)

    def type_named(self, name: str) -> str:
        """The type behind a type's name in the source."""
        single = self.generic == "f32"
        width = "32" if single else "64"
        names = {"T": self.generic, "I": f"i{width}", "U": f"u{width}"}
        return names.get(name, name)

    def eval_Call(self, node: ast.Call) -> Reg:
        if not isinstance(node.func, ast.Name):
            self.refuse(node, "call functions by their name")
        name = node.func.id
        if name in (*_NAMED_TYPES, "T", "I", "U"):
            return self.convert(self.value(node.args[0]), self.type_named(name))
        found = self.globals.get(name)
        if isinstance(found, Inlined):
            return self.call_inlined(found, [self.settle(self.value(a)) for a in node.args])
        handler = WORDS.get(name)
        if handler is None or found not in (None, getattr(words, name, None)):
            self.refuse(node, f"{name} is no word of kernels")
        return handler(self, node)

    def call_inlined(self, function: Inlined, arguments: list[Reg]) -> Reg:
        """Call a function that was declared with `@inlined`."""
        types = [a.dtype for a in arguments]
        name, result = self.module.inlined(function, types, self.generic)
        listed = ", ".join(f"{llvm_type(a.dtype)} {a.name}" for a in arguments)
        if result == "void":
            self.f.do(f"call void @{name}({listed})")
            return Reg("void", "void")
        return Reg(self.f.value(f"call {llvm_type(result)} @{name}({listed})"), result)
