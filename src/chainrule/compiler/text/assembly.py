"""A small writer of LLVM assembly text: registers, typed operations, counted loops.

Only text is made here, so code generation needs no LLVM and can be tested and printed without it.
A `Reg` is a value with its element dtype; a `Lanes` writer turns scalar operations into operations
on vectors of a fixed number of lanes, so the same code writes the scalar and the vector form.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

LLVM_TYPES = {
    "bool": "i1", "i8": "i8", "i16": "i16", "i32": "i32", "i64": "i64",
    "u8": "i8", "u16": "i16", "u32": "i32", "u64": "i64", "f32": "float", "f64": "double",
    "f16": "half", "bf16": "i16",
}  # fmt: skip
ITEM_BYTES = {
    "bool": 1, "i8": 1, "i16": 2, "i32": 4, "i64": 8,
    "u8": 1, "u16": 2, "u32": 4, "u64": 8, "f32": 4, "f64": 8, "f16": 2, "bf16": 2,
}  # fmt: skip
FLOATS = ("f32", "f64")
HALVES = ("f16", "bf16")  # loaded, stored and converted to f32 and from it, nothing else
UNSIGNED = ("u8", "u16", "u32", "u64")

# Intrinsics are overloaded by type suffix: v16f32, f32, ...
_SUFFIX = {"bool": "i1", "u8": "i8", "u16": "i16", "u32": "i32", "u64": "i64"}


class Reg(NamedTuple):
    """A register or constant, with the dtype of its elements."""

    name: str
    dtype: str


def memory_type(dtype: str) -> str:
    """The LLVM type of an element in memory: a bool takes a byte there, a bit in registers."""
    return "i8" if dtype == "bool" else LLVM_TYPES[dtype]


def literal(dtype: str, value: Any) -> str:
    """A scalar constant as LLVM writes it (floats as the bits of a double)."""
    if dtype == "bool":
        return "true" if value else "false"
    if dtype == "bf16":
        return str(_bits_of_bfloat16(float(value)))
    if dtype == "f16":
        return f"0xH{np.float16(value).view(np.uint16):04X}"
    if dtype not in FLOATS:
        return str(int(value))
    if dtype == "f32":
        # Rounded here: LLVM wants a double that a float can hold exactly.
        value = _to_f32(float(value))
    return f"0x{struct.unpack('<Q', struct.pack('<d', float(value)))[0]:016X}"


def _bits_of_bfloat16(value: float) -> int:
    """The upper half of a float, rounded to the nearest even."""
    bits = struct.unpack("<I", struct.pack("<f", _to_f32(value)))[0]
    if value != value:
        return 0x7FC0
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16


def _to_f32(value: float) -> float:
    try:
        return struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


class Function:
    """The text of one function under construction."""

    def __init__(self, declarations: set[str]) -> None:
        self.lines: list[str] = []
        self.allocas: list[str] = []
        self.declarations = declarations
        self.label = "entry"
        self._count = 0

    def fresh(self) -> str:
        """A new register name."""
        self._count += 1
        return f"%r{self._count}"

    def value(self, text: str) -> str:
        """Emit `%r = text` and give the register's name."""
        name = self.fresh()
        self.lines.append(f"  {name} = {text}")
        return name

    def do(self, text: str) -> None:
        """Emit an instruction without a result."""
        self.lines.append(f"  {text}")

    def alloca(self, llvm_type: str, count: int = 1) -> str:
        """Stack memory, reserved once at the function's entry."""
        name = self.fresh()
        self.allocas.append(f"  {name} = alloca {llvm_type}, i64 {count}, align 64")
        return name

    def start(self, label: str) -> None:
        """Begin a basic block."""
        self.lines.append(f"{label}:")
        self.label = label

    def block_name(self, stem: str) -> str:
        """A label that is not used yet."""
        self._count += 1
        return f"{stem}{self._count}"

    @contextmanager
    def loop(self, stop: str, step: int = 1) -> Iterator[str]:
        """`for i in range(0, stop, step)`; the body always runs once, so `stop` must be > 0."""
        head, done = self.block_name("loop"), self.block_name("done")
        index, following, before = self.fresh(), self.fresh(), self.label
        self.do(f"br label %{head}")
        self.start(head)
        slot = len(self.lines)
        self.lines.append("")
        yield index
        self.lines[slot] = f"  {index} = phi i64 [0, %{before}], [{following}, %{self.label}]"
        self.do(f"{following} = add i64 {index}, {step}")
        again = self.value(f"icmp ult i64 {following}, {stop}")
        self.do(f"br i1 {again}, label %{head}, label %{done}")
        self.start(done)

    @contextmanager
    def when(self, condition: str) -> Iterator[None]:
        """Run the body only if the i1 register is set."""
        body, done = self.block_name("then"), self.block_name("after")
        self.do(f"br i1 {condition}, label %{body}, label %{done}")
        self.start(body)
        yield
        self.do(f"br label %{done}")
        self.start(done)

    def offset(self, index: str, stride: int) -> str:
        """index * stride as an i64 operand."""
        if stride == 0:
            return "0"
        return index if stride == 1 else self.value(f"mul i64 {index}, {stride}")

    def add_offsets(self, terms: list[str]) -> str:
        """The sum of i64 operands."""
        terms = [t for t in terms if t != "0"]
        total = terms[0] if terms else "0"
        for term in terms[1:]:
            total = self.value(f"add i64 {total}, {term}")
        return total

    def text(self, signature: str) -> str:
        """The finished definition."""
        head = [f"define {signature} {{", "entry:", *self.allocas]
        return "\n".join([*head, *self.lines, "  ret void", "}"]) + "\n"


class Lanes:
    """Typed operations on `count` lanes at once; `count == 1` writes scalar code."""

    def __init__(self, function: Function, count: int) -> None:
        self.function = function
        self.count = count

    # ---- types and constants -----------------------------------------------------------------

    def type(self, dtype: str) -> str:
        """The LLVM type of a register of this dtype."""
        scalar = LLVM_TYPES[dtype]
        return scalar if self.count == 1 else f"<{self.count} x {scalar}>"

    def const(self, dtype: str, value: Any) -> Reg:
        """The same constant in every lane."""
        text = literal(dtype, value)
        if self.count > 1:
            inner = f"{LLVM_TYPES[dtype]} {text}"
            text = f"<{', '.join([inner] * self.count)}>"
        return Reg(text, dtype)

    def bits(self, dtype: str) -> str:
        """The integer dtype as wide as a float dtype."""
        return {"f32": "i32", "f64": "i64"}[dtype]

    # ---- operations --------------------------------------------------------------------------

    def emit(self, text: str, dtype: str) -> Reg:
        """`%r = text`, as a register of this dtype."""
        return Reg(self.function.value(text), dtype)

    def binary(self, opcode: str, a: Reg, b: Reg) -> Reg:
        """An instruction with two operands of one type."""
        return self.emit(f"{opcode} {self.type(a.dtype)} {a.name}, {b.name}", a.dtype)

    def add(self, a: Reg, b: Reg) -> Reg:
        return self.binary("fadd" if a.dtype in FLOATS else "add", a, b)

    def sub(self, a: Reg, b: Reg) -> Reg:
        return self.binary("fsub" if a.dtype in FLOATS else "sub", a, b)

    def mul(self, a: Reg, b: Reg) -> Reg:
        return self.binary("fmul" if a.dtype in FLOATS else "mul", a, b)

    def div(self, a: Reg, b: Reg) -> Reg:
        return self.binary("fdiv", a, b)

    def neg(self, a: Reg) -> Reg:
        if a.dtype in FLOATS:
            return self.emit(f"fneg {self.type(a.dtype)} {a.name}", a.dtype)
        return self.sub(self.const(a.dtype, 0), a)

    def compare(self, predicate: str, a: Reg, b: Reg) -> Reg:
        """`predicate` is one of eq ne lt le gt ge, ordered for floats except ne, or `uno`."""
        if a.dtype in FLOATS:
            code = {"ne": "une", "uno": "uno"}.get(predicate, f"o{predicate}")
            return self.emit(f"fcmp {code} {self.type(a.dtype)} {a.name}, {b.name}", "bool")
        if predicate not in ("eq", "ne"):
            predicate = ("u" if a.dtype in UNSIGNED or a.dtype == "bool" else "s") + predicate
        return self.emit(f"icmp {predicate} {self.type(a.dtype)} {a.name}, {b.name}", "bool")

    def select(self, condition: Reg, a: Reg, b: Reg) -> Reg:
        types = self.type("bool"), self.type(a.dtype)
        return self.emit(
            f"select {types[0]} {condition.name}, {types[1]} {a.name}, {types[1]} {b.name}", a.dtype
        )

    def bitcast(self, a: Reg, dtype: str) -> Reg:
        return self.emit(f"bitcast {self.type(a.dtype)} {a.name} to {self.type(dtype)}", dtype)

    def intrinsic(self, name: str, *args: Reg) -> Reg:
        """An LLVM intrinsic overloaded on its (single) operand type."""
        dtype = args[0].dtype
        suffix = _SUFFIX.get(dtype, dtype)
        if self.count > 1:
            suffix = f"v{self.count}{suffix}"
        kind = self.type(dtype)
        full = f"@llvm.{name}.{suffix}"
        self.function.declarations.add(f"declare {kind} {full}({', '.join([kind] * len(args))})")
        operands = ", ".join(f"{kind} {a.name}" for a in args)
        return self.emit(f"call {kind} {full}({operands})", dtype)

    def fma(self, a: Reg, b: Reg, c: Reg) -> Reg:
        """a * b + c, rounded once."""
        return self.intrinsic("fma", a, b, c)

    def each_lane(self, call: Callable[[list[str]], str], dtype: str, *args: Reg) -> Reg:
        """Run scalar code lane by lane: `call` takes scalar names and gives a scalar name."""
        if self.count == 1:
            return Reg(call([a.name for a in args]), dtype)
        vector = self.type(dtype)
        result = "poison"
        for lane in range(self.count):
            scalars = [
                self.function.value(f"extractelement {self.type(a.dtype)} {a.name}, i32 {lane}")
                for a in args
            ]
            element = f"{LLVM_TYPES[dtype]} {call(scalars)}"
            result = self.function.value(f"insertelement {vector} {result}, {element}, i32 {lane}")
        return Reg(result, dtype)

    def libm(self, name: str, *args: Reg) -> Reg:
        """A function of the C library, lane by lane (float32 forms end in f)."""
        dtype = args[0].dtype
        scalar = LLVM_TYPES[dtype]
        symbol = f"@{name}{'f' if dtype == 'f32' else ''}"
        declared = ", ".join([scalar] * len(args))
        self.function.declarations.add(f"declare {scalar} {symbol}({declared})")

        def call(names: list[str]) -> str:
            operands = ", ".join(f"{scalar} {n}" for n in names)
            return self.function.value(f"call {scalar} {symbol}({operands})")

        return self.each_lane(call, dtype, *args)

    def special(self, name: str, *args: Reg) -> Reg:
        """A function of `scipy.special`, lane by lane: it takes doubles and a word for Cython."""
        symbol = f"@chainrule_special_{name}"
        operands = ["double"] * len(args)
        self.function.declarations.add(f"declare double {symbol}({', '.join(operands)}, i32)")

        def call(names: list[str]) -> str:
            given = ", ".join(f"double {n}" for n in names)
            return self.function.value(f"call double {symbol}({given}, i32 0)")

        wide = self.each_lane(call, "f64", *(self.convert(a, "f64") for a in args))
        return self.convert(wide, args[0].dtype)

    def convert(self, a: Reg, dtype: str) -> Reg:
        """The value in another dtype, as C (and NumPy) convert."""
        if a.dtype == dtype:
            return a
        if "bf16" in (a.dtype, dtype):
            return self._from_bfloat16(a) if a.dtype == "bf16" else self._to_bfloat16(a)
        if dtype == "bool":
            return self.compare("ne", a, self.const(a.dtype, 0))
        source, target = self.type(a.dtype), self.type(dtype)
        opcode = _conversion(a.dtype, dtype)
        if opcode is None:
            return Reg(a.name, dtype)
        return self.emit(f"{opcode} {source} {a.name} to {target}", dtype)

    def _from_bfloat16(self, a: Reg) -> Reg:
        """A bfloat16 is the upper half of a float."""
        wide, single = self.type("u32"), self.type("f32")
        bits = self.emit(f"zext {self.type('bf16')} {a.name} to {wide}", "u32")
        bits = self.binary("shl", bits, self.const("u32", 16))
        return self.emit(f"bitcast {wide} {bits.name} to {single}", "f32")

    def _to_bfloat16(self, a: Reg) -> Reg:
        """Rounded to the nearest, to even at a tie; what is no number stays so."""
        wide, narrow = self.type("u32"), self.type("bf16")
        bits = self.emit(f"bitcast {self.type('f32')} {a.name} to {wide}", "u32")
        upper = self.binary("lshr", bits, self.const("u32", 16))
        odd = self.binary("and", upper, self.const("u32", 1))
        rounded = self.add(bits, self.add(odd, self.const("u32", 0x7FFF)))
        rounded = self.binary("lshr", rounded, self.const("u32", 16))
        sign = self.binary("and", upper, self.const("u32", 0x8000))
        none = self.binary("or", sign, self.const("u32", 0x7FC0))
        kept = self.select(self.compare("ne", a, a), none, rounded)
        return self.emit(f"trunc {wide} {kept.name} to {narrow}", "bf16")

    # ---- memory --------------------------------------------------------------------------------

    def load(self, address: str, dtype: str, mask: Reg | None = None) -> Reg:
        """Floats from memory; lanes that the mask leaves out are zero."""
        vector, align = self.type(dtype), ITEM_BYTES[dtype]
        if mask is None:
            return self.emit(f"load {vector}, ptr {address}, align {align}", dtype)
        full, bits = f"@llvm.masked.load.v{self.count}{dtype}.p0", f"<{self.count} x i1>"
        self.function.declarations.add(f"declare {vector} {full}(ptr, i32, {bits}, {vector})")
        return self.emit(
            f"call {vector} {full}(ptr {address}, i32 {align}, {bits} {mask.name}, "
            f"{vector} zeroinitializer)",
            dtype,
        )

    # ---- lanes -------------------------------------------------------------------------------

    def splat(self, a: Reg) -> Reg:
        """A scalar register in every lane."""
        if self.count == 1:
            return a
        kind = self.type(a.dtype)
        one = self.function.value(
            f"insertelement {kind} poison, {LLVM_TYPES[a.dtype]} {a.name}, i32 0"
        )
        zeros = f"<{self.count} x i32> zeroinitializer"
        return self.emit(f"shufflevector {kind} {one}, {kind} poison, {zeros}", a.dtype)

    def any_not(self, condition: Reg) -> str:
        """Whether the condition fails in some lane, as an i1 operand."""
        f = self.function
        if self.count == 1:
            return f.value(f"xor i1 {condition.name}, true")
        bits = f.value(f"bitcast <{self.count} x i1> {condition.name} to i{self.count}")
        return f.value(f"icmp ne i{self.count} {bits}, -1")

    def iota(self, start: str) -> Reg:
        """start, start + 1, ... as i64 lanes."""
        base = self.splat(Reg(start, "i64"))
        if self.count == 1:
            return base
        steps = ", ".join(f"i64 {k}" for k in range(self.count))
        return self.add(base, Reg(f"<{steps}>", "i64"))


def _conversion(source: str, target: str) -> str | None:
    """The LLVM cast between two different non-bool targets; None when the bits are the same."""
    from_float, to_float = source in FLOATS, target in FLOATS
    if "f16" in (source, target):
        return "fpext" if source == "f16" else "fptrunc"
    if from_float and to_float:
        return "fpext" if target == "f64" else "fptrunc"
    if from_float:
        return "fptoui" if target in UNSIGNED else "fptosi"
    if to_float:
        return "uitofp" if source in UNSIGNED or source == "bool" else "sitofp"
    small, large = ITEM_BYTES[source], ITEM_BYTES[target]
    if source == "bool":
        return "zext"
    if small == large:
        return None
    if small > large:
        return "trunc"
    return "zext" if source in UNSIGNED else "sext"
