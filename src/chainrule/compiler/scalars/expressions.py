"""From an op's scalar expression to typed kernel nodes, and whether that is possible at all."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ... import ir
from ...ops.products import longest_sum
from ..graph.op_table import lowering
from ..graph.program import Instr, Value, dtype_name, dtype_of
from ..text.assembly import FLOATS, HALVES, LLVM_TYPES
from .functions import FOLDS, Node, function

_COMPARE = ("eq", "ne", "lt", "le", "gt", "ge")
_TEST = ("isnan", "isinf", "isfinite")
_LOGICAL = {"logical_and": "and", "logical_or": "or", "logical_xor": "xor"}
_NUMPY = {
    "bool": "?", "i8": "i1", "i16": "i2", "i32": "i4", "i64": "i8",
    "u8": "u1", "u16": "u2", "u32": "u4", "u64": "u8", "f32": "f4", "f64": "f8",
}  # fmt: skip


class Unsupported(Exception):
    """There is no code for this expression: the op runs as an extern step."""


class Nodes:
    """The node list of a kernel under construction; equal nodes are made once."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self._known: dict[Any, int] = {}
        self.on_check: Callable[[int], int] = lambda size: 0  # size -> kernel argument

    def add(self, op: str, args: tuple[int, ...], dtype: str, value: Any = None) -> int:
        """The position of this node, appended if new."""
        if (
            op == "const"
            and isinstance(value, float)
            and value == 0
            and math.copysign(1, value) < 0
        ):
            # Kernels are shared by equal nodes, and -0.0 equals 0.0.
            if dtype in HALVES:
                return self.convert(self.add(op, args, "f32", value), dtype)
            return self.add("neg", (self.add("const", (), dtype, 0.0),), dtype)
        node = Node(op, args, dtype, value)
        # Equal numbers of different kinds (1 and True) are different constants.
        key = (node, repr(value)) if op == "const" else node
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = len(self.nodes)
            self.nodes.append(node)
        return found

    def dtype(self, node: int) -> str:
        return self.nodes[node].dtype

    def convert(self, node: int, dtype: str) -> int:
        """The node in another dtype; constants are converted now."""
        n = self.nodes[node]
        if n.dtype == dtype:
            return node
        if n.op == "const":
            return self.add("const", (), dtype, _held(n.value, dtype))
        if n.dtype in HALVES and dtype != "f32":
            return self.convert(self.convert(node, "f32"), dtype)
        if dtype in HALVES and n.dtype != "f32":
            raise Unsupported(f"{n.dtype} as {dtype}")  # by way of f32 it would be rounded twice
        return self.add("convert", (node,), dtype)

    # ---- expressions -------------------------------------------------------------------------

    def build(self, expr: ir.Expr, args: list[int], compute: str) -> int:
        """Nodes for an expression whose arithmetic is done in the dtype `compute`."""
        if expr.op == "arg":
            return args[expr.value]
        if expr.op == "const":
            return self.add("const", (), _natural(expr.value, compute), expr.value)
        inner = [self.build(a, args, compute) for a in expr.args]
        if expr.op in _COMPARE:
            common = self._common(inner)
            return self._call(expr.op, [self.convert(i, common) for i in inner], "bool")
        if expr.op in _TEST:
            return self._test(expr.op, inner[0])
        if expr.op in _LOGICAL:
            return self._call(_LOGICAL[expr.op], [self.convert(i, "bool") for i in inner], "bool")
        if expr.op == "logical_not":
            return self._call("not", [self.convert(inner[0], "bool")], "bool")
        if expr.op == "check":
            index = self.convert(inner[0], "i64")
            return self.add("check", (index,), "i64", (expr.value, self.on_check(expr.value)))
        if expr.op == "select":
            if compute == "bool" and any(self._is_number(i) for i in inner[1:]):
                raise Unsupported("a number among bools")
            branches = [self.convert(i, compute) for i in inner[1:]]
            return self.add("select", (self.convert(inner[0], "bool"), *branches), compute)
        if expr.op == "pow":
            return self._power(*[self.convert(i, compute) for i in inner], compute)  # pyright: ignore[reportCallIssue]
        bitwise = expr.op in ("and", "or", "xor", "not")
        if bitwise and all(self.dtype(i) == "bool" for i in inner):
            return self._call(expr.op, inner, "bool")
        return self._call(expr.op, [self.convert(i, compute) for i in inner], compute)

    def _is_number(self, node: int) -> bool:
        return self.nodes[node].op == "const" and self.dtype(node) != "bool"

    def _call(self, op: str, args: list[int], dtype: str) -> int:
        if function(op, self.dtype(args[0])) is None:
            raise Unsupported(f"{op} on {self.dtype(args[0])}")
        return self.add(op, tuple(args), dtype)

    def _common(self, nodes: list[int]) -> str:
        """The dtype two compared operands meet in; a constant takes the other's."""
        fixed = [self.dtype(i) for i in nodes if self.nodes[i].op != "const"]
        if not fixed:
            fixed = [self.dtype(i) for i in nodes]
        if any(d in HALVES for d in fixed):
            raise Unsupported("a comparison in half precision")
        kind = np.result_type(*[_NUMPY[d] for d in fixed])
        for i in nodes:
            if self.nodes[i].op == "const":
                kind = np.result_type(kind, self.nodes[i].value)
        return dtype_name(kind)

    def _test(self, op: str, x: int) -> int:
        if self.dtype(x) in HALVES:
            x = self.convert(x, "f32")
        if self.dtype(x) in FLOATS:
            return self._call(op, [x], "bool")
        return self.add("const", (), "bool", op == "isfinite")

    def _power(self, base: int, exponent: int, dtype: str) -> int:
        """Small constant powers by multiplication, roots by sqrt, else the C library."""
        if dtype in HALVES:
            raise Unsupported(f"pow on {dtype}")
        n = self.nodes[exponent]
        value = n.value if n.op == "const" else None
        if value == 0:  # of NaN too
            return self.add("const", (), dtype, 1.0 if dtype in FLOATS else 1)
        if dtype not in FLOATS:
            if value in (1, 2, 3):
                return self._multiply(base, int(value), dtype)
            raise Unsupported("pow of integers")
        if value == 0.5:
            # pow(-inf, 0.5) is inf and pow(-0.0, 0.5) is 0 while sqrt gives NaN and -0.
            return self._call("sqrt", [base], dtype)
        if value is not None and float(value).is_integer() and 1 <= abs(value) <= 4:
            power = self._multiply(base, abs(int(value)), dtype)
            return power if value > 0 else self._call("reciprocal", [power], dtype)
        return self._call("pow", [base, exponent], dtype)

    def _multiply(self, base: int, count: int, dtype: str) -> int:
        if count == 1:
            return base
        half = self._multiply(base, count // 2, dtype)
        square = self.add("mul", (half, half), dtype)
        return self.add("mul", (square, base), dtype) if count % 2 else square


def _held(value: Any, dtype: str) -> Any:
    """What a type holds of a number."""
    if dtype not in FLOATS and dtype not in HALVES and not math.isfinite(value):
        raise Unsupported(f"{value} as {dtype}")
    if dtype in HALVES:
        return float(np.asarray(value, np.float32).astype(dtype_of(dtype)))
    return np.asarray(value).astype(_NUMPY[dtype]).item()


def _natural(value: Any, compute: str) -> str:
    """The dtype of a literal: the computation's, unless that cannot hold it."""
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, float) and compute not in FLOATS:
        return "f64"
    return "i64" if compute == "bool" else compute


def compute_dtype(instr: Instr) -> str:
    """In which dtype a pointwise op calculates."""
    out = dtype_name(instr.outputs[0].dtype)
    if out != "bool":
        return out
    kinds = [v.dtype for v in instr.values if v.dtype.kind != "b"]
    return dtype_name(np.result_type(*kinds)) if kinds else "bool"


def supported(instr: Instr) -> bool:
    """Whether there is machine code for this instruction."""
    for v in (*instr.values, *instr.outputs):
        if dtype_name(v.dtype) not in LLVM_TYPES or v.size == 0:
            return False
    if any(isinstance(x, complex) for x in instr.inputs):
        return False
    lower = lowering(instr.op)
    if instr.op == "gemm_of_halves":
        return True
    if lower.tag == "contract":
        return (
            not _long_sum(instr)
            and all(dtype_name(v.dtype) in FLOATS for v in (*instr.values, *instr.outputs))
            and all(v.dtype == instr.outputs[0].dtype for v in instr.values)
        )
    if isinstance(lower, ir.Reduce):
        return lower.kind in FOLDS and not any(dtype_name(v.dtype) in HALVES for v in instr.values)
    if isinstance(lower, ir.Scatter):
        added = instr.inputs[0].dtype
        if added.kind not in "fiu" or dtype_name(added) in HALVES:
            return False
    if not isinstance(lower, ir.Pointwise):
        return lower.tag in ("move", "index", "take", "scatter")
    return _body_supported(instr, lower)


def _long_sum(instr: Instr) -> bool:
    """Whether a product of two matrices sums so many products that it is made in blocks."""
    a, b = instr.inputs
    if len(a.shape) != 2 or len(b.shape) != 2 or a.dtype != np.float32:
        return False
    m, n = instr.outputs[0].shape
    k = a.size // max(1, m)
    return k > longest_sum(m, n, k)


def _body_supported(instr: Instr, lower: ir.Pointwise) -> bool:
    nodes = Nodes()
    args = []
    for i, x in enumerate(instr.inputs):
        if isinstance(x, Value):
            args.append(nodes.add("load", (), dtype_name(x.dtype), i))
        else:
            args.append(nodes.add("const", (), _natural(x, compute_dtype(instr)), x))
    try:
        body = lower.body(len(instr.inputs), instr.params)
        result = nodes.build(body, args, compute_dtype(instr))
        nodes.convert(result, dtype_name(instr.outputs[0].dtype))
    except Unsupported:
        return False
    return True


def literal_node(nodes: Nodes, value: Any, compute: str) -> int:
    """A Python number among the operands of an instruction."""
    return nodes.add("const", (), _natural(value, compute), value)
