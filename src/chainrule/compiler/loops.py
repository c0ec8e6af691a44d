"""A fused loop nest as data, and the scalar functions it may call.

A `Kernel` runs over a space of axes, the last of which (the *inner* axis) is vectorised.  Its
nodes are one scalar program; each either varies along the inner axis or is computed once per row:

    load    an element of a kernel argument (strides per axis; stride 0 = broadcast)
    const   a number
    index   the position along an axis
    take    an element of an argument at places given by index nodes
    check   an index into an axis of known length; a wrong one is noted in an argument
    fold    the inner axis folded to one number per row, usable by later nodes
    others  scalar functions of earlier nodes

`stores` put a node's value into an argument; `accumulates` fold it over the axes along which the
argument has stride 0.  A fold ends a *phase*: what needs its result runs in another loop over the
same row (softmax is three phases: maximum, sum of exponentials, division).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from . import vecmath
from .asm import FLOATS, ITEM_BYTES, Lanes, Reg

# Code for any length of its one axis expects at least this length.
GENERIC_LENGTH = 64


class Access(NamedTuple):
    """How a kernel argument is addressed: element strides along the axes of the space."""

    argument: int
    strides: tuple[int, ...]


class Node(NamedTuple):
    """One scalar operation of the kernel; `args` are positions in the node list."""

    op: str
    args: tuple[int, ...]
    dtype: str
    value: Any = None


class Put(NamedTuple):
    """`argument[places] += node`; places are index nodes times strides plus the access."""

    node: int
    to: Access
    indices: tuple[int, ...]
    strides: tuple[int, ...]
    size: int  # elements of the whole argument, which starts as zeros


class Kernel(NamedTuple):
    """See the module's docstring; a kernel is its own key for reuse of the compiled code."""

    space: tuple[int, ...]
    arguments: tuple[str, ...]  # dtype of each pointer
    nodes: tuple[Node, ...]
    stores: tuple[tuple[int, Access], ...]
    # (fold kind, node, where, whether the fold also runs along the inner axis)
    accumulates: tuple[tuple[str, int, Access, bool], ...]
    scatters: tuple[Put, ...] = ()

    def checks(self) -> list[tuple[int, int]]:
        """(size, argument) of the index checks; the argument is a word that is set on failure."""
        return [n.value for n in self.nodes if n.op == "check"]

    def generic(self) -> bool:
        """Whether the one axis may have any length, so that the code serves all lengths."""
        if (
            len(self.space) != 1
            or self.space[0] < GENERIC_LENGTH
            or self.accumulates
            or self.scatters
        ):
            return False
        if any(n.op == "take" for n in self.nodes):
            return False
        loads = [n.value for n in self.nodes if n.op == "load"]
        return all(a.strides[0] in (0, 1) for a in [*loads, *(to for _, to in self.stores)])

    def code(self) -> Kernel:
        """What its machine code depends on: kernels for which this is equal share one."""
        return self._replace(space=(GENERIC_LENGTH,)) if self.generic() else self


def format_kernel(kernel: Kernel) -> str:
    """The kernel as text, for `explain` and golden tests."""
    lines = [f"loop over {list(kernel.space)} ({', '.join(kernel.arguments)})"]
    for i, node in enumerate(kernel.nodes):
        args = [f"n{a}" for a in node.args]
        if node.op == "load":
            args = [f"a{node.value.argument}{list(node.value.strides)}"]
        elif node.value is not None:
            args.append(repr(node.value))
        lines.append(f"  n{i}: {node.dtype} = {node.op}({', '.join(args)})")
    lines += [f"  a{to.argument}{list(to.strides)} = n{n}" for n, to in kernel.stores]
    lines += [
        f"  a{to.argument}{list(to.strides)} {kind}= n{n}" for kind, n, to, _ in kernel.accumulates
    ]
    for put in kernel.scatters:
        places = ", ".join(f"n{i}*{s}" for i, s in zip(put.indices, put.strides, strict=True))
        lines.append(f"  a{put.to.argument}{list(put.to.strides)}[{places}] add= n{put.node}")
    return "\n".join(lines)


# ---- scalar functions --------------------------------------------------------------------------

Emit = Callable[..., Reg]


def maximum(w: Lanes, a: Reg, b: Reg) -> Reg:
    """The larger; NaN if either is NaN (as NumPy's maximum)."""
    return _extremum(w, "gt", a, b)


def minimum(w: Lanes, a: Reg, b: Reg) -> Reg:
    """The smaller; NaN if either is NaN."""
    return _extremum(w, "lt", a, b)


def _extremum(w: Lanes, predicate: str, a: Reg, b: Reg) -> Reg:
    first = w.compare(predicate, a, b)
    if a.dtype in FLOATS:
        first = w.binary("or", first, w.compare("uno", a, a))
    return w.select(first, a, b)


def _relu(w: Lanes, x: Reg) -> Reg:
    # `x <= 0 ? 0 : x` is false for NaN, which therefore passes.
    zero = w.const(x.dtype, 0)
    return w.select(w.compare("le", x, zero), zero, x)


def _sign(w: Lanes, x: Reg) -> Reg:
    # The sign of NaN is 0, as in PyTorch: neither comparison holds.
    zero, one = w.const(x.dtype, 0), w.const(x.dtype, 1)
    up = w.select(w.compare("gt", x, zero), one, zero)
    return w.select(w.compare("lt", x, zero), w.const(x.dtype, -1), up)


def _absolute(w: Lanes, x: Reg) -> Reg:
    if x.dtype in FLOATS:
        return w.intrinsic("fabs", x)
    return w.select(w.compare("lt", x, w.const(x.dtype, 0)), w.neg(x), x)


def _not(w: Lanes, x: Reg) -> Reg:
    return w.binary("xor", x, w.const(x.dtype, True if x.dtype == "bool" else -1))


def _is_finite(w: Lanes, x: Reg) -> Reg:
    return w.compare("lt", w.intrinsic("fabs", x), w.const(x.dtype, float("inf")))


def _reciprocal(w: Lanes, x: Reg) -> Reg:
    return w.div(w.const(x.dtype, 1.0), x)


def _compare(predicate: str) -> Emit:
    return lambda w, a, b: w.compare(predicate, a, b)


def _intrinsic(name: str) -> Emit:
    return lambda w, *args: w.intrinsic(name, *args)


def _libm(name: str) -> Emit:
    return lambda w, *args: w.libm(name, *args)


def _binary(opcode: str) -> Emit:
    return lambda w, a, b: w.binary(opcode, a, b)


_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")

# For every numeric dtype.
_ANY: dict[str, Emit] = {
    "add": Lanes.add,
    "sub": Lanes.sub,
    "mul": Lanes.mul,
    "neg": Lanes.neg,
    "square": lambda w, x: w.mul(x, x),
    "abs": _absolute,
    "sign": _sign,
    "relu": _relu,
    "maximum": maximum,
    "minimum": minimum,
    **{name: _compare(name) for name in _COMPARISONS},
}

# For integers and bool.
_INTEGER: dict[str, Emit] = {
    "and": _binary("and"),
    "or": _binary("or"),
    "xor": _binary("xor"),
    "not": _not,
}

# For floats only.  Names that map to the C library are called lane by lane: correct, not fast.
_FLOAT: dict[str, Emit] = {
    "div": Lanes.div,
    "reciprocal": _reciprocal,
    "rsqrt": lambda w, x: _reciprocal(w, w.intrinsic("sqrt", x)),
    "exp": vecmath.exp,
    "expm1": vecmath.expm1,
    "log": vecmath.log,
    "log1p": vecmath.log1p,
    "tanh": vecmath.tanh,
    "sigmoid": vecmath.sigmoid,
    "erf": vecmath.erf,
    "sin": vecmath.sin,
    "cos": vecmath.cos,
    "erfc": vecmath.erfc,
    "upper_tail": vecmath.upper_tail,
    "isnan": lambda w, x: w.compare("uno", x, x),
    "isinf": lambda w, x: w.compare(
        "eq", w.intrinsic("fabs", x), w.const(x.dtype, float("inf"))
    ),
    "isfinite": _is_finite,
    **{name: _intrinsic(name) for name in ("sqrt", "floor", "ceil", "trunc", "copysign")},
    "round": _intrinsic("rint"),
    **{
        name: _libm(name)
        for name in (
            "exp2", "log2", "log10", "tan", "asin", "acos", "atan", "sinh", "cosh",
            "asinh", "acosh", "atanh", "pow", "atan2", "hypot", "fmod",
        )
    },
}  # fmt: skip

# Functions worth keeping in scratch memory rather than computing again in a later phase.
EXPENSIVE = frozenset(_FLOAT) - {"isnan", "isinf", "isfinite", "floor", "ceil", "trunc", "round"}


def function(op: str, dtype: str) -> Emit | None:
    """The code writer of a scalar function on operands of this dtype, or None."""
    if op in ("select", "load", "const", "index", "convert", "fold", "check", "take"):
        return None
    if dtype in FLOATS:
        return _FLOAT.get(op) or _ANY.get(op)
    if dtype == "bool":
        return _INTEGER.get(op) or (_ANY.get(op) if op in _COMPARISONS else None)
    return _INTEGER.get(op) or _ANY.get(op)


def wide_product(w: Lanes, a: Reg, b: Reg) -> Reg:
    """a * b of single numbers, computed in double: the same bits, also below the normal range.

    A product in which a subnormal number takes part costs a hundred cycles on many processors, a
    conversion does not.  Gradients that vanish along a long chain of scalars are full of them.
    """
    product = w.mul(w.convert(a, "f64"), w.convert(b, "f64"))
    # Without the fence LLVM finds out that a single precision product would do.
    return w.convert(w.intrinsic("arithmetic.fence", product), "f32")


# ---- folds -----------------------------------------------------------------------------------

FOLDS: dict[str, Emit] = {
    "add": Lanes.add,
    "mul": Lanes.mul,
    "max": maximum,
    "min": minimum,
    "and": _binary("and"),
    "or": _binary("or"),
}


def identity(kind: str, dtype: str) -> Any:
    """The number that leaves a fold unchanged."""
    if kind in ("add", "or"):
        return 0
    if kind == "mul":
        return 1
    if kind == "and":
        return True if dtype == "bool" else -1
    if dtype in FLOATS:
        return float("-inf") if kind == "max" else float("inf")
    bits = 8 * ITEM_BYTES[dtype]
    if dtype.startswith("u"):
        return 0 if kind == "max" else 2**bits - 1
    return -(2 ** (bits - 1)) if kind == "max" else 2 ** (bits - 1) - 1
