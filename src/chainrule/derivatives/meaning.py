"""What the ops of the table mean as expressions, and their derivatives by the table's own rules.

An op becomes sums, products and powers where it is one of these, a formula where it has a short
one (`silu` is x*sigmoid(x)), what its lowering says, or else a function by its own name. The
derivative of a named function comes from its rule in the table, run on expressions: rules are
written in ops, and this is one more world to run them in.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..ir.lowering import Function, Pointwise
from ..ir.scalar import Expr as ScalarBody
from ..ops.schema import TABLE, Op, rule_names
from ..ops.worlds import World
from . import expression as e
from .expression import Expr


class NoFormula(TypeError):
    """An op that has no meaning as a formula of scalars."""


# ---- ops as expressions ------------------------------------------------------------------------


def _same(x: Expr, **params: Any) -> Expr:
    return x


def _softplus(x: Expr, *, beta: float = 1.0, threshold: float = 20.0) -> Expr:
    scaled = e.mul(x, e.number(beta))
    return e.div(e.call("log", e.add(e.ONE, e.call("exp", scaled))), e.number(beta))


def _gelu(x: Expr, *, approximate: str) -> Expr:
    if approximate == "tanh":
        cubic = e.add(x, e.mul(e.number(0.044715), e.power(x, e.number(3))))
        inner = e.call("tanh", e.mul(e.power(e.div(e.TWO, e.PI), e.HALF), cubic))
    else:
        inner = e.call("erf", e.mul(x, e.power(e.TWO, e.neg(e.HALF))))
    return e.mul(e.HALF, x, e.add(e.ONE, inner))


def _elu(x: Expr, *, alpha: float, scale: float, rate: float) -> Expr:
    low = e.sub(e.call("exp", e.mul(x, e.number(rate))), e.ONE)
    return e.where(
        e.call("gt", x, e.ZERO),
        e.mul(x, e.number(scale)),
        e.mul(e.number(alpha * scale), low),
    )


def _hardswish(x: Expr) -> Expr:
    middle = e.div(e.mul(x, e.add(x, e.number(3))), e.number(6))
    upper = e.where(e.call("gt", x, e.number(3)), x, middle)
    return e.where(e.call("lt", x, e.number(-3)), e.ZERO, upper)


def _between(x: Expr, low: Any, high: Any) -> Expr:
    made = x
    if high is not None:
        high = e.number(high)
        made = e.where(e.call("gt", x, high), high, made)
    if low is not None:
        low = e.number(low)
        made = e.where(e.call("lt", x, low), low, made)
    return made


def _log_to(base: int) -> Callable[[Expr], Expr]:
    return lambda x: e.div(e.call("log", x), e.call("log", e.number(base)))


def _logic(name: str) -> Callable[..., Expr]:
    return lambda *args: e.call(name, *args)


MEANING: dict[str, Callable[..., Expr]] = {
    "add": e.add,
    "sub": e.sub,
    "mul": e.mul,
    "div": e.div,
    "neg": e.neg,
    "pow": e.power,
    "square": lambda x: e.power(x, e.TWO),
    "sqrt": lambda x: e.power(x, e.HALF),
    "rsqrt": lambda x: e.power(x, e.neg(e.HALF)),
    "reciprocal": lambda x: e.power(x, e.MINUS_ONE),
    "exp2": lambda x: e.power(e.TWO, x),
    "expm1": lambda x: e.sub(e.call("exp", x), e.ONE),
    "log1p": lambda x: e.call("log", e.add(e.ONE, x)),
    "log2": _log_to(2),
    "log10": _log_to(10),
    "hypot": lambda a, b: e.power(e.add(e.power(a, e.TWO), e.power(b, e.TWO)), e.HALF),
    "lerp": lambda a, b, w: e.add(a, e.mul(w, e.sub(b, a))),
    "logaddexp": lambda a, b: e.call("log", e.add(e.call("exp", a), e.call("exp", b))),
    "where": e.where,
    "zeroed": lambda x: e.ZERO,
    "softplus": _softplus,
    "silu": lambda x: e.mul(x, e.call("sigmoid", x)),
    "mish": lambda x: e.mul(x, e.call("tanh", _softplus(x))),
    "logsigmoid": lambda x: e.neg(_softplus(e.neg(x))),
    "gelu": _gelu,
    "elu": _elu,
    "leaky_relu": lambda x, *, slope: e.where(
        e.call("gt", x, e.ZERO), x, e.mul(x, e.number(slope))
    ),
    "hardtanh": lambda x, *, low, high: _between(x, low, high),
    "hardsigmoid": lambda x: _between(e.div(e.add(x, e.number(3)), e.number(6)), 0, 1),
    "hardswish": _hardswish,
    "sgn": lambda x: e.call("sign", x),
    "clamp": lambda x, low, high: _between(x, low, high),
    "clamp_min": lambda x, low: _between(x, low, None),
    "clamp_max": lambda x, high: _between(x, None, high),
    "threshold": lambda x, *, limit, value: e.where(
        e.call("gt", x, e.number(limit)), x, e.number(value)
    ),
    "bitwise_and": _logic("and"),
    "logical_and": _logic("and"),
    "bitwise_or": _logic("or"),
    "logical_or": _logic("or"),
    "bitwise_not": _logic("not"),
    "logical_not": _logic("not"),
    **dict.fromkeys(
        ("cast", "clone", "alias", "copy_value", "real", "conj", "reduce_sum", "reduce_mean",
         "reduce_prod", "reduce_max", "reduce_min", "reshape", "view", "unsafe_view", "unsqueeze",
         "squeeze_all", "squeeze_axis", "squeeze_axes", "broadcast_to", "transpose", "select"),
        _same,
    ),
}  # fmt: skip


def apply_op(op: Op, args: tuple[Expr, ...], params: dict[str, Any]) -> Expr:
    """The op on scalar expressions."""
    made = MEANING.get(op.name)
    if made is not None:
        return made(*args, **params)
    if op.variadic or op.n_out != 1 or op.random:
        raise NoFormula(
            f"symbolic() reads functions of scalars; the op {op.name!r} has no formula in them"
        )
    lowered = _from_lowering(op, args, params)
    if lowered is not None:
        return lowered
    return e.call(op.name, *args, params=tuple(sorted(params.items())))


def _from_lowering(op: Op, args: tuple[Expr, ...], params: dict[str, Any]) -> Expr | None:
    """A fused op written out, as its scalar body for the compiler says."""
    lower = op.lower
    if not isinstance(lower, Pointwise) or isinstance(lower, Function):
        return None
    try:
        body = lower.body(len(args), params)
    except (TypeError, AttributeError):
        return None
    return _read_body(body, args)


_BODY_NAMES = {"select": "where", "remainder": "remainder", "abs": "abs"}


def _read_body(body: Any, args: tuple[Expr, ...]) -> Expr:
    if not isinstance(body, ScalarBody):
        return e.number(body)
    if body.op == "arg":
        return args[body.value]
    if body.op == "const":
        return e.number(body.value)
    inner = tuple(_read_body(a, args) for a in body.args)
    name = _BODY_NAMES.get(body.op, body.op)
    if name in ("and", "or", "not"):
        return e.call(name, *inner)
    return MEANING[name](*inner) if name in MEANING else e.call(name, *inner)


# ---- a world of rules on expressions -----------------------------------------------------------


class Term:
    """An expression with operators and a tensor's metadata: what a rule computes with."""

    __slots__ = ("e",)

    shape: tuple[int, ...] = ()
    ndim = 0
    dtype = np.dtype(np.float64)

    def __init__(self, expression: Expr) -> None:
        self.e = expression

    @property
    def real(self) -> Term:
        return self

    def __neg__(self) -> Term:
        return Term(e.neg(self.e))

    def __abs__(self) -> Term:
        return Term(e.call("abs", self.e))

    def __invert__(self) -> Term:
        return Term(e.call("not", self.e))

    def __bool__(self) -> bool:
        raise NoFormula(f"a rule branches on the value of {self.e!r}")

    __hash__ = None  # type: ignore[assignment]


def _expression(x: Any) -> Expr:
    if isinstance(x, Term):
        return x.e
    return x if isinstance(x, Expr) else e.number(x)


def _install_operators() -> None:
    pairs = {"add": e.add, "sub": e.sub, "mul": e.mul, "truediv": e.div, "pow": e.power,
             "and": _logic("and"), "or": _logic("or")}  # fmt: skip
    for method, make in pairs.items():

        def forwards(a: Any, b: Any, make: Any = make) -> Term:
            return Term(make(a.e, _expression(b)))

        def backwards(a: Any, b: Any, make: Any = make) -> Term:
            return Term(make(_expression(b), a.e))

        setattr(Term, f"__{method}__", forwards)
        setattr(Term, f"__r{method}__", backwards)
    for name in ("lt", "le", "gt", "ge", "eq", "ne"):

        def compare(a: Any, b: Any, name: str = name) -> Term:
            return Term(e.call(name, a.e, _expression(b)))

        setattr(Term, f"__{name}__", compare)


_install_operators()


def _resolve(op: Op) -> Callable[..., Term]:
    def run(*args: Any, **params: Any) -> Term:
        return Term(apply_op(op, tuple(_expression(a) for a in args), params))

    return run


FORMULAS = World("formulas", _resolve)


# ---- derivatives -------------------------------------------------------------------------------


def derivative(expression: Expr, by: Expr) -> Expr:
    """d expression / d by, one rule per distinct part."""
    slopes: dict[Expr, Expr] = {}
    for node in e.parts_first(expression):
        slopes[node] = _slope(node, by, slopes)
    return slopes[expression]


def _slope(node: Expr, by: Expr, slopes: dict[Expr, Expr]) -> Expr:
    if node is by:
        return e.ONE
    if node.kind in ("num", "sym"):
        return e.ZERO
    inner = [slopes[a] for a in node.args]
    if node.kind == "add":
        return e.add(*inner)
    if node.kind == "mul":
        terms = []
        for k, d in enumerate(inner):
            if d is not e.ZERO:
                terms.append(e.mul(d, *node.args[:k], *node.args[k + 1 :]))
        return e.add(*terms)
    if node.kind == "pow":
        return _power_slope(node, *inner)
    if node.kind == "where":
        return e.where(node.args[0], inner[1], inner[2])
    return _function_slope(node, inner)


def _power_slope(node: Expr, d_base: Expr, d_exponent: Expr) -> Expr:
    base, exponent = node.args
    terms = []
    if d_base is not e.ZERO:
        terms.append(e.mul(exponent, e.power(base, e.sub(exponent, e.ONE)), d_base))
    if d_exponent is not e.ZERO:
        terms.append(e.mul(node, e.call("log", base), d_exponent))
    return e.add(*terms)


def _function_slope(node: Expr, inner: list[Expr]) -> Expr:
    name, _ = node.value
    if name in ("maximum", "minimum"):  # where both are equal the table takes the mean
        return e.where(e.call("gt" if name == "maximum" else "lt", *node.args), *inner)
    terms = []
    for k, d in enumerate(inner):
        if d is not e.ZERO:
            terms.append(e.mul(_partial(node, k), d))
    return e.add(*terms)


def _partial(node: Expr, position: int) -> Expr:
    """The derivative of a named function by one of its arguments, from the op table."""
    name, params = node.value
    op = TABLE.get(name)
    if op is None:
        raise NoFormula(f"no rule in the op table differentiates {name!r}")
    if not op.differentiable:
        return e.ZERO
    stem = op.input_name(position)
    rule = op.partials.get(stem) or op.vjps.get(stem)
    if rule is None:
        raise NoFormula(f"no rule in the op table differentiates {name!r} by {stem!r}")
    known = dict(params)
    arguments = [_rule_argument(op, n, node, known) for n in rule_names(rule)]
    return _expression(FORMULAS.bind(rule)(*arguments))


def _rule_argument(op: Op, name: str, node: Expr, params: dict[str, Any]) -> Any:
    if name == "g":
        return Term(e.ONE)
    kind, detail = op.classify(name)
    if kind == "in":
        return Term(node.args[detail])
    if kind == "param":
        return params[detail]
    if kind == "out":
        return Term(node)
    return {"shape": (), "ndim": 0, "dtype": Term.dtype}[kind.rpartition("_")[2]]
