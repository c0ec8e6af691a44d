"""From the syntax tree of a kernel to LLVM text, once for each type it is used with.

Local variables become stack slots, which LLVM turns into registers.  Numbers written in the source
have no type of their own: they take that of the other operand.  Loops are left to LLVM's
vectoriser; transcendental functions are `vecmath`'s branch-free polynomials, written out in place.
"""

from __future__ import annotations

import ast
from typing import Any

from ...text.assembly import FLOATS, Reg, memory_type
from . import word_texts as word_texts  # fills the table of words
from .expressions import POINTER, Expressions, KernelError, llvm_type
from .words import Inlined, Kernel

__all__ = ["KernelError", "Module", "Writer", "llvm_type", "raw_type"]


def _hint(name: str, value: str) -> str:
    return f'!"llvm.loop.{name}", {value}'


# What LLVM shall do with loops of few turns, given whether elements are single floats.
_VECTORS: dict[str, Any] = {
    "short": lambda single: (
        _hint("vectorize.enable", "i1 true"),
        _hint("vectorize.width", f"i32 {16 if single else 8}"),
        _hint("vectorize.predicate.enable", "i1 true"),
    ),
    "narrow": lambda single: (
        _hint("vectorize.enable", "i1 true"),
        _hint("vectorize.width", "i32 4"),
        _hint("interleave.count", "i32 1"),
    ),
}


class Module:
    """The text of several functions and what they declare."""

    def __init__(self) -> None:
        self.declarations: set[str] = set()
        self.definitions: dict[str, str] = {}
        self.results: dict[str, str] = {}
        self.shared: dict[str, str | None] = {}  # the dimension a kernel's pieces divide
        self.written: dict[str, set[str]] = {}  # the parameters it stores into
        self.metadata: list[str] = []
        self.notes = 0

    def kernel(self, kernel: Kernel, generic: str) -> str:
        """Define `i1 name(...)` (whether it was done) and give the name."""
        name = f"{kernel.name}.{generic}"
        types = [raw_type(p.type, p.dims is not None, generic) for p in kernel.signature.parameters]
        types += ["i64"] * len(kernel.signature.dims)
        writer = Writer(self, kernel.function, generic, types, kernel.exact, is_kernel=True)
        self.definitions[name] = writer.define(name, "i1", "noalias")
        self.shared[name] = writer.shares
        self.written[name] = writer.written
        return name

    def inlined(self, function: Inlined, types: list[str], generic: str) -> tuple[str, str]:
        """Define the function for these types; gives its name and the type of its result."""
        floats = [t for t in types if t in FLOATS]
        generic = floats[0] if floats else generic
        stem = "_".join(t.replace(":", "") for t in (generic, *types))
        name = f"{function.function.__module__}.{function.function.__name__}.{stem}"
        if name not in self.definitions:
            writer = Writer(self, function.function, generic, types, function.exact)
            note = "noalias" if function.apart else ""
            self.definitions[name] = writer.define(name, None, note, once=function.once)
            self.results[name] = writer.result or "void"
        return name, self.results[name]

    def loop_note(self, *hints: str) -> str:
        """A note for LLVM on a loop's last branch."""
        first = self.notes
        self.notes += 1 + len(hints)
        numbers = range(first, self.notes)
        parts = ", ".join(f"!{k}" for k in numbers)
        lines = [f"!{first} = distinct !{{{parts}}}"]
        lines += [f"!{k} = !{{{hint}}}" for k, hint in zip(numbers[1:], hints, strict=True)]
        self.metadata += lines
        return f", !llvm.loop !{first}"

    def text(self) -> str:
        """All of it."""
        parts = [*sorted(self.declarations), "", *self.definitions.values(), ATTRIBUTES]
        return "\n".join([*parts, *self.metadata])


ATTRIBUTES = (
    # One copy of a kernel serves all its callers: it is compiled once.
    'attributes #0 = { nounwind noinline "prefer-vector-width"="512" }\n'
    "attributes #1 = { nounwind alwaysinline }\n"
    # Entries are long and run once per call: to optimise them takes a third of the time, and does
    # not make calls measurably faster.
    "attributes #2 = { nounwind noinline optnone }\n"
)


def raw_type(declared: str, is_array: bool, generic: str) -> str:
    """The register type of a parameter."""
    concrete = generic if declared == "T" else declared
    return POINTER + concrete if is_array else concrete


class Writer(Expressions):
    """Writes one function."""

    def define(self, name: str, result: str | None, pointer_note: str, once: bool = False) -> str:
        """The definition's text."""
        for parameter, dtype in self.parameters:
            self._assign(parameter, Reg(f"%{parameter}", dtype))
        self.block(self.tree.body)
        if not self.ended:
            if self.is_kernel:
                self.f.do("ret i1 true")
            elif self.result is None:
                self.f.do("ret void")
            else:
                self.f.do("unreachable")
        kind = result or (llvm_type(self.result) if self.result else "void")
        notes = {True: f"ptr {pointer_note}".strip()}
        listed = [f"{notes.get(t.startswith(POINTER), llvm_type(t))} %{n}"
                  for n, t in self.parameters]  # fmt: skip
        if self.shares:
            listed += ["i64 %begin.", "i64 %end."]
        group = 0 if self.is_kernel or once else 1
        head = f"define internal {kind} @{name}({', '.join(listed)}) #{group}"
        return "\n".join([f"{head} {{", "entry:", *self.f.allocas, *self.f.lines, "}", ""])

    # ---- variables ---------------------------------------------------------------------------

    def _assign(self, name: str, value: Reg, node: ast.AST | None = None) -> None:
        if name in self.slots:
            slot, dtype = self.slots[name]
            value = self.settle(value, dtype)
            if value.dtype != dtype:
                self.refuse(node or self.tree, f"{name} is {dtype}, cannot become {value.dtype}")
        else:
            value = self.settle(value)
            slot = self.f.alloca(llvm_type(value.dtype))
            self.slots[name] = slot, value.dtype
        self.f.do(f"store {llvm_type(value.dtype)} {value.name}, ptr {slot}")

    # ---- statements --------------------------------------------------------------------------

    def block(self, statements: list[ast.stmt]) -> None:
        """Statements in order; what follows a jump is not reached and not written."""
        for statement in statements:
            if self.ended:
                return
            method = getattr(self, f"do_{type(statement).__name__}", None)
            if method is None:
                self.refuse(statement, f"kernels know no {type(statement).__name__}")
            method(statement)

    def do_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):  # a docstring
            self.value(node.value)

    def do_Pass(self, node: ast.Pass) -> None:
        pass

    def do_Assign(self, node: ast.Assign) -> None:
        if len(node.targets) != 1:
            self.refuse(node, "one assignment at a time")
        self.store(node.targets[0], self.value(node.value), node)

    def do_AnnAssign(self, node: ast.AnnAssign) -> None:
        if not isinstance(node.annotation, ast.Name) or node.value is None:
            self.refuse(node, "an annotation names a type and has a value")
        dtype = self.type_named(node.annotation.id)
        self.store(node.target, self.convert(self.value(node.value), dtype), node)

    def do_AugAssign(self, node: ast.AugAssign) -> None:
        place: Any = node.target
        current = self.value(_as_load(place))
        self.store(place, self.arithmetic(node, node.op, current, self.value(node.value)), node)

    def origin(self, node: ast.expr) -> str:
        """The name of the parameter that an expression for an array comes from."""
        while isinstance(node, ast.Subscript):
            node = node.value
        name = node.id if isinstance(node, ast.Name) else ""
        return self.parts.get(name, name)

    def store(self, target: ast.expr, value: Reg, node: ast.AST) -> None:
        """Assign to a variable or to an element."""
        if isinstance(target, ast.Name):
            if value.dtype.startswith(POINTER) and isinstance(node, ast.Assign):
                self.parts[target.id] = self.origin(node.value)
            self._assign(target.id, value, node)
            return
        if not isinstance(target, ast.Subscript):
            self.refuse(node, "assign to a name or to an element")
        base = self.value(target.value)
        self.written.add(self.origin(target.value))
        dtype = self.pointed(base, node)
        value = self.convert(value, dtype)
        place = self.element(base, self.index(target.slice))
        name = value.name
        if dtype == "bool":
            name = self.f.value(f"zext i1 {name} to i8")
        self.f.do(f"store {memory_type(dtype)} {name}, ptr {place}")

    def do_If(self, node: ast.If) -> None:
        then, other, after = (self.f.block_name(s) for s in ("then", "else", "after"))
        condition = self.truth(node.test)
        self.f.do(f"br i1 {condition.name}, label %{then}, label %{other}")
        self.start(then)
        self.block(node.body)
        self.jump(after)
        self.start(other)
        self.block(node.orelse)
        self.jump(after)
        self.start(after)

    def do_While(self, node: ast.While) -> None:
        head, body, done = (self.f.block_name(s) for s in ("while", "body", "done"))
        self.jump(head)
        self.start(head)
        condition = self.truth(node.test)
        self.f.do(f"br i1 {condition.name}, label %{body}, label %{done}")
        self.start(body)
        self.loops.append((head, done))
        self.block(node.body)
        self.loops.pop()
        self.jump(head)
        self.start(done)

    def do_For(self, node: ast.For) -> None:
        call = node.iter
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
                and isinstance(node.target, ast.Name)):  # fmt: skip
            self.refuse(node, "for loops run over range(...)")
        if call.func.id not in ("range", "shared", *_VECTORS):
            self.refuse(node, f"no loops over {call.func.id}")
        if call.func.id == "shared":
            if self.loops or self.shares or not self.is_kernel:
                self.refuse(node, "one shared loop, the outermost, of a kernel")
            self.shares = ast.unparse(call.args[0])
            start, stop, step = "%begin.", "%end.", 1
        else:
            start, stop, step = self.bounds(node, call.args)
        head, body, following, done = (
            self.f.block_name(s) for s in ("for", "body", "next", "done")
        )  # fmt: skip
        self._assign(node.target.id, Reg(start, "i64"), node)
        slot = self.slots[node.target.id][0]
        self.jump(head)
        self.start(head)
        at = self.f.value(f"load i64, ptr {slot}")
        again = self.f.value(f"icmp {'slt' if step > 0 else 'sgt'} i64 {at}, {stop}")
        self.f.do(f"br i1 {again}, label %{body}, label %{done}")
        self.start(body)
        self.loops.append((following, done))
        self.block(node.body)
        self.loops.pop()
        self.jump(following)
        self.start(following)
        at = self.f.value(f"load i64, ptr {slot}")
        self.f.do(f"store i64 {self.f.value(f'add nsw i64 {at}, {step}')}, ptr {slot}")
        self.jump(head)
        if call.func.id in _VECTORS:
            self.f.lines[-1] += self.module.loop_note(
                *_VECTORS[call.func.id](self.generic == "f32")
            )
        self.start(done)

    def bounds(self, node: ast.AST, arguments: list[ast.expr]) -> tuple[str, str, int]:
        """(start, stop, step) of a range."""
        step = 1
        if len(arguments) == 3:
            last = ast.literal_eval(arguments[2])
            if not isinstance(last, int) or last == 0:
                self.refuse(node, "the step of a range is a number other than 0")
            step = last
        values = [self.integer(a).name for a in arguments[:2]]
        return ("0", values[0], step) if len(values) == 1 else (values[0], values[1], step)

    def do_Return(self, node: ast.Return) -> None:
        if self.is_kernel:
            said = node.value.value if isinstance(node.value, ast.Constant) else None
            if node.value is not None and said is not False:
                self.refuse(node, "a kernel returns nothing, or False where NumPy shall do it")
            self.f.do(f"ret i1 {'true' if node.value is None else 'false'}")
        elif node.value is None:
            self.f.do("ret void")
        else:
            value = self.settle(self.value(node.value), self.result)
            if self.result not in (None, value.dtype):
                self.refuse(node, f"returns {value.dtype} here, {self.result} elsewhere")
            self.result = value.dtype
            self.f.do(f"ret {llvm_type(value.dtype)} {value.name}")
        self.ended = True

    def do_Break(self, node: ast.Break) -> None:
        self.jump(self.loops[-1][1])

    def do_Continue(self, node: ast.Continue) -> None:
        self.jump(self.loops[-1][0])


def _as_load(place: ast.expr) -> ast.expr:
    """The target of an augmented assignment as an expression."""
    copy = ast.parse(ast.unparse(place), mode="eval").body
    return ast.copy_location(copy, place)
