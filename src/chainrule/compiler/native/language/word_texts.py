"""What the functions of the kernels' language become in LLVM text."""

from __future__ import annotations

import ast
from collections.abc import Callable

from ...text import vector_math
from ...text.assembly import FLOATS, Reg, memory_type
from .expressions import WORDS, Expressions

Handler = Callable[[Expressions, ast.Call], Reg]


def _float(w: Expressions, node: ast.expr) -> Reg:
    value = w.settle(w.value(node))
    return value if value.dtype in FLOATS else w.convert(value, w.generic)


def _alike(w: Expressions, nodes: list[ast.expr]) -> list[Reg]:
    """The arguments in one type."""
    values = [w.value(n) for n in nodes]
    for _ in values:  # each pass carries a type one place on
        for k in range(len(values) - 1):
            values[k], values[k + 1] = w.alike(values[k], values[k + 1])
    return [w.settle(v) for v in values]


def _polynomial_function(function: Callable[..., Reg]) -> Handler:
    return lambda w, node: function(w.w, _float(w, node.args[0]))


def _intrinsic(name: str) -> Handler:
    return lambda w, node: w.w.intrinsic(name, *_alike(w, node.args))


def _extreme(intrinsic: str, comparison: str) -> Handler:
    """max or min: of floats, NaN wins."""

    def handler(w: Expressions, node: ast.Call) -> Reg:
        a, b = _alike(w, node.args)
        if a.dtype not in FLOATS:
            return w.w.select(w.w.compare(comparison, a, b), a, b)
        result = w.w.intrinsic(intrinsic, a, b)
        # The sign of zero does not matter: two instructions less.
        w.f.lines[-1] = w.f.lines[-1].replace("= call ", "= call nsz ")
        return result

    return handler


def _abs(w: Expressions, node: ast.Call) -> Reg:
    value = w.settle(w.value(node.args[0]))
    if value.dtype in FLOATS:
        return w.w.intrinsic("fabs", value)
    return w.w.select(w.w.compare("lt", value, w.w.const(value.dtype, 0)), w.w.neg(value), value)


def _accumulate(w: Expressions, node: ast.Call) -> Reg:
    return w.w.binary("fadd reassoc nsz contract", *_alike(w, node.args))


def _isnan(w: Expressions, node: ast.Call) -> Reg:
    value = _float(w, node.args[0])
    return w.w.compare("uno", value, value)


def _bits(w: Expressions, node: ast.Call) -> Reg:
    value = _float(w, node.args[0])
    return w.w.bitcast(value, w.w.bits(value.dtype))


def _from_bits(w: Expressions, node: ast.Call) -> Reg:
    value = w.value(node.args[0])
    return w.w.bitcast(value, "f32" if value.dtype in ("i32", "u32") else "f64")


def _horner(w: Expressions, node: ast.Call) -> Reg:
    x = _float(w, node.args[0])
    return vector_math.polynomial(w.w, x, tuple(reversed(w.constant(node.args[1]))))


def _upper_tail(w: Expressions, node: ast.Call) -> Reg:
    return vector_math.upper_tail(w.w, *(_float(w, argument) for argument in node.args))


def _pointer(w: Expressions, node: ast.Call) -> Reg:
    kind = w.type_named(ast.literal_eval(node.args[0]))
    address = w.integer(node.args[1])
    return Reg(w.f.value(f"inttoptr i64 {address.name} to ptr"), f"ptr:{kind}")


def _stack(w: Expressions, node: ast.Call) -> Reg:
    kind = w.type_named(ast.literal_eval(node.args[0]))
    count = w.value(node.args[1]).name
    if not isinstance(count, int):
        w.refuse(node, "the size of stack memory is a constant")
    return Reg(w.f.alloca(memory_type(kind), count), f"ptr:{kind}")


def _invoke(w: Expressions, node: ast.Call) -> Reg:
    function, workspace = w.integer(node.args[0]), w.integer(node.args[2])
    target, memory = (w.f.value(f"inttoptr i64 {x.name} to ptr") for x in (function, workspace))
    w.f.do(f"call void {target}(ptr {w.value(node.args[1]).name}, ptr {memory})")
    return Reg("void", "void")


def _sqrt(w: Expressions, node: ast.Call) -> Reg:
    return w.w.intrinsic("sqrt", _float(w, node.args[0]))


WORDS.update(
    {
        "exp": _polynomial_function(vector_math.exp),
        "expm1": _polynomial_function(vector_math.expm1),
        "log": _polynomial_function(vector_math.log),
        "log1p": _polynomial_function(vector_math.log1p),
        "tanh": _polynomial_function(vector_math.tanh),
        "sigmoid": _polynomial_function(vector_math.sigmoid),
        "sqrt": _sqrt,
        "erf": _polynomial_function(vector_math.erf),
        "erfc": _polynomial_function(vector_math.erfc),
        "near_sin": _polynomial_function(vector_math.near_sin),
        "near_cos": _polynomial_function(vector_math.near_cos),
        "floor": _intrinsic("floor"),
        "copysign": _intrinsic("copysign"),
        "fma": _intrinsic("fma"),
        "maximum": _extreme("maximum", "gt"),
        "minimum": _extreme("minimum", "lt"),
        "max": _extreme("maximum", "gt"),
        "min": _extreme("minimum", "lt"),
        "abs": _abs,
        "accumulate": _accumulate,
        "isnan": _isnan,
        "bits": _bits,
        "from_bits": _from_bits,
        "horner": _horner,
        "upper_tail": _upper_tail,
        "pointer": _pointer,
        "stack": _stack,
        "invoke": _invoke,
    }
)
