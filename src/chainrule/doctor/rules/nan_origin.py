"""nan-origin: where the first NaN or infinity of a run came from."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...autograd.nan_causes import backward_cause, forward_cause
from ...autograd.nonfinite import find, has_nan, is_finite
from ...autograd.record import saved_payloads
from ...reading.gradients import cotangents
from ...reading.nodes import Link, Tape, Vertex, shape_of
from ..finding import ERROR, Finding
from ..positions import Position, of_node
from ..run import Pass
from ..run import is_finite as is_finite_number
from .arithmetic import Arithmetic
from .base import Rule, array

# Ops whose slope is infinite somewhere, and when an operand (or result) comes near that place.
NEAR = 1e-6
RISKS: dict[str, tuple[str, Callable[[np.ndarray], bool]]] = {
    **{op: ("out", lambda a: a.min() < 1e-3) for op in ("sqrt", "norm", "std")},
    **{op: ("out", lambda a: np.abs(a).max() > 1e4) for op in ("rsqrt", "reciprocal")},
    **{op: ("x", lambda a: a.min() < NEAR) for op in ("log", "log2", "log10")},
    **{op: ("x", lambda a: np.abs(a).max() > 1 - NEAR) for op in ("acos", "asin", "atanh")},
    "log1p": ("x", lambda a: a.min() < -1 + NEAR),
    "div": ("b", lambda a: np.abs(a).min() < NEAR),
    "pow": ("a", lambda a: np.abs(a).min() < NEAR),
}
MASKS = {"masked_fill", "masked_fill_number", "where", "index_fill", "full", "index_put",
         "masked_scatter", "triu", "tril"}  # fmt: skip


RESHAPES = {"view", "reshape", "squeeze_axis", "squeeze", "unsqueeze", "flatten", "unflatten"}


class NanOrigin(Rule):
    """Watches losses and gradients for the first value that is not finite, and names the op that
    made it from finite operands: in the forward pass, in backward where a slope is infinite, or
    in the program's own arithmetic on the data.

    Silent: -inf as a mask that softmax consumes, infinities that never reach a loss, steps that a
    GradScaler skips because its scale is too large.
    """

    id = "nan-origin"
    hears_all = True

    def __init__(self, run: Any) -> None:
        super().__init__(run)
        self._arithmetic: Arithmetic = run.shared(Arithmetic)
        self._found: Finding | None = None
        self._risky: set[Position] = set()  # lines whose graphs come near a singularity
        self._scaled = False
        self._sick = 0  # passes with a loss that is not finite

    def scaler_used(self, scaler: Any, what: str, *_event: Any) -> None:
        self._scaled = bool(scaler.is_enabled())

    def pass_begins(self, this: Pass) -> None:
        if this.value is not None and not is_finite_number(this.value):
            self._sick += 1
            if self._found is None:
                tape = this.read()
                if tape is not None:
                    self._found = self._in_forward(this, tape)
            return
        if any(is_risky(v) for v in this.of(*RISKS)):
            self._risky.add(this.site.position)
        wanted = self._found is None and not self._scaled and len(this.roots) == 1
        if wanted and not this.create and this.site.position in self._risky:
            this.read()
            this.keep = True

    def pass_ends(self, this: Pass) -> None:
        if self._found is not None or not this.keep or this.tape is None:
            return
        if any(_sick(leaf.grad) for leaf in this.leaves):
            self._found = self._in_backward(this, this.tape)

    # ---- forward --------------------------------------------------------------------------------

    def _in_forward(self, this: Pass, tape: Tape) -> Finding | None:
        values = all_values(tape)
        for leaf in tape.leaves:
            if not _finite(values[leaf.key]):
                return None  # parameters are no longer finite: what broke them speaks
        origin = _first(tape, values)
        if origin is None:
            return None
        vertex, data = origin
        where = of_node(vertex.node)
        place = where if where.is_users else this.site.position
        if data:
            made = self._arithmetic.line()
            if made is not None:
                return self._made(made, data, this)
            return Finding(
                self.id,
                ERROR,
                place,
                f"the data holds values that are not finite; {vertex.op} meets them first",
                [f"{data}, in pass {this.in_site} of {this.site.label}"],
                "look at the data: torch.isfinite(x).all(), and clean or leave out such rows",
            )
        if any(values[link.parent.key] is None for link in vertex.inputs):
            made = self._arithmetic.latest()  # what it met is not known, but what came before is
            if made is not None:
                return self._made(made, f"{vertex.op} meets it first", this)
        lines = _cause(vertex, values)
        out = values[vertex.key]
        found = None if out is None else find(out)
        return Finding(
            self.id,
            ERROR,
            place,
            f"{vertex.op} makes the first value that is not finite"
            + (f": {lines[0]}" if lines else ""),
            [f"in pass {this.in_site} of {this.site.label}: {found}", *lines[1:]],
            _fix(lines),
        )

    def _made(self, where: Position, data: str, this: Pass) -> Finding:
        return Finding(
            self.id,
            ERROR,
            where,
            "the data is made not finite here: a division by zero, or an operand out of range",
            [f"{data}, in pass {this.in_site} of {this.site.label}"],
            "keep the operand inside the domain: (x - mean) / (std + 1e-8)",
        )

    # ---- backward -------------------------------------------------------------------------------

    def _in_backward(self, this: Pass, tape: Tape) -> Finding | None:
        first: list[tuple[Link, Any, Any]] = []

        def visit(link: Link, g_in: Any, g_out: Any) -> None:
            if not first and g_out is not None and not _finite(g_out) and _all_finite(g_in):
                first.append((link, g_in, g_out))

        try:
            cotangents(tape, visit=visit)
        except RuntimeError:
            return None
        if not first:
            return None
        link, g_in, g_out = first[0]
        vertex = link.child
        where = of_node(vertex.node)
        lines = _slope(vertex, g_in, g_out)
        return Finding(
            self.id,
            ERROR,
            where if where.is_users else this.site.position,
            f"the gradient of {vertex.op} is not finite although its value is"
            + (f": {lines[0]}" if lines else ""),
            [f"in pass {this.in_site} of {this.site.label}: {find(np.asarray(g_out))}", *lines[1:]],
            _fix(lines),
        )

    def findings(self) -> Iterator[Finding]:
        if self._found is not None:
            yield self._found


def all_values(tape: Tape) -> dict[int, Any]:
    """The values of all vertices: those that somebody keeps, and what follows from them."""
    values: dict[int, Any] = {v.key: tape.value(v) for v in tape.leaves}
    for v in reversed(tape.nodes):  # the earliest first
        found = tape.value(v)
        values[v.key] = again(v, values) if found is None else found
    return values


def again(v: Vertex, values: dict[int, Any]) -> Any:
    """The result of a node, computed once more from its operands; None where one is unknown."""
    op = v.node.op
    if op is None or op.random or op.variadic or op.n_out != 1:
        return None
    saved = v.saved()
    linked = {link.position: values.get(link.parent.key) for link in v.inputs if link.nr == 0}
    operands = [linked.get(k, saved.get(name)) for k, name in enumerate(op.inputs)]
    if any(x is None for x in operands):
        return None
    if any(name not in saved for name in op.params):
        return _reshaped(v, operands[0])
    try:
        with np.errstate(all="ignore"):
            return np.asarray(op.forward(*operands, **{n: saved[n] for n in op.params}))
    except (TypeError, ValueError, IndexError, KeyError):
        return None


def _reshaped(v: Vertex, x: Any) -> Any:
    """The result of a view of all elements in their order, which keeps no parameters."""
    if v.op not in RESHAPES or not isinstance(x, np.ndarray):
        return None
    known = shape_of(v)
    if known is not None and math.prod(known[0]) == x.size:
        return x.reshape(known[0])
    rest = tuple(n for n in x.shape if n != 1)
    return x.reshape(rest) if v.op == "squeeze_axis" and len(rest) == x.ndim - 1 else None


def is_risky(v: Vertex) -> bool:
    """Whether the gradient of a node may become infinite where its operand lies now."""
    risk = RISKS.get(v.op)
    if risk is None:
        return False
    name, near = risk
    saved = v.saved()
    exponent = saved.get("b")
    if v.op == "pow" and isinstance(exponent, int | float) and exponent >= 1:
        return False
    value = saved.get(name)
    return isinstance(value, np.ndarray) and value.size > 0 and bool(near(value))


def _first(tape: Tape, values: dict[int, Any]) -> tuple[Vertex, str] | None:
    """The vertex that made the first NaN (or, without one, infinity), and what the data held."""
    for sick in (_has_nan, _not_finite):
        for v in reversed(tape.nodes):  # the earliest first
            out = values[v.key]
            if out is None or not sick(out) or v.op in MASKS:
                continue
            inputs = [values[link.parent.key] for link in v.inputs]
            if any(x is not None and sick(x) for x in inputs):
                continue
            constant = _constant(v)
            if constant is not None:
                return v, constant
            unseen = _unseen(v, values)
            if unseen is not None:
                return unseen, "an operand that no gradient flows to, and that was not kept"
            infinite = next((k.parent for k in v.inputs if not _finite(values[k.parent.key])), None)
            if infinite is not None and infinite.node is not None and infinite.op not in MASKS:
                beginning = _beginning(infinite, values)
                if beginning is not None:
                    return beginning, _constant(beginning) or ""
            return v, ""
    return None


def _beginning(v: Vertex, values: dict[int, Any]) -> Vertex | None:
    """The op that made an infinity out of finite operands."""
    for _ in range(200):
        above = [k.parent for k in v.inputs if not _finite(values[k.parent.key])]
        above = [a for a in above if a.node is not None]
        if not above:
            return None if v.op in MASKS else v
        v = above[0]
    return None


def _unseen(v: Vertex, values: dict[int, Any]) -> Vertex | None:
    """The first op behind a value whose result cannot be told: its constant operand is gone."""
    found, above = None, [v]
    for _ in range(200):
        above = [k.parent for w in above for k in w.inputs]
        above = [w for w in above if w.node is not None and values[w.key] is None]
        if not above:
            break
        found = max(above, key=lambda w: w.key)
    if found is None or found.node.op is None or found.node.op.variadic or found.op in MASKS:
        return None
    return found if len(found.inputs) < len(found.node.op.inputs) else None


def _constant(v: Vertex) -> str | None:
    """What is not finite among the operands that no gradient flows to."""
    if v.node.op is None:
        return None
    linked = {link.input_name for link in v.inputs}
    for name, value in v.saved().items():
        if name in linked or name.startswith("out") or not isinstance(value, np.ndarray):
            continue
        if value.dtype.kind in "fV" and name in v.node.op.inputs and not _finite(value):
            found = find(value)
            if found is not None and v.op not in MASKS:
                return f"operand {name!r} of shape {list(value.shape)} holds {found}"
    return None


def _cause(v: Vertex, values: dict[int, Any]) -> list[str]:
    op = v.node.op
    out = values[v.key]
    if op is None or out is None:
        return []
    operands: list[Any] = [v.saved().get(name) for name in op.inputs]
    for link in v.inputs:
        if link.position < len(operands):
            operands[link.position] = values[link.parent.key]
    if any(x is None for x in operands):
        return []
    try:
        return forward_cause(op, tuple(operands), (out,), v.parameters())
    except (TypeError, ValueError, IndexError, KeyError):
        return []


def _slope(v: Vertex, g_in: Any, g_out: Any) -> list[str]:
    if v.node.op is None:
        return []
    try:
        from ...autograd.op_rules import saved_names

        saved = dict(zip(saved_names(v.node.op), saved_payloads(v.node), strict=False))
        return backward_cause(v.node, saved, g_in, np.asarray(g_out))
    except (TypeError, ValueError, IndexError, KeyError, RuntimeError):
        return []


def _fix(lines: list[str]) -> str:
    for line in lines:
        if line.strip().lower().startswith("fix:"):
            return line.strip()[4:].strip()
    return "keep the operand inside the domain: clamp it, or add a small number"


def _sick(tensor: Any) -> bool:
    a = None if tensor is None else array(tensor)
    return a is not None and a.dtype.kind in "fcV" and not is_finite(a)


def _finite(a: Any) -> bool:
    return a is None or not isinstance(a, np.ndarray) or a.dtype.kind not in "fcV" or is_finite(a)


def _not_finite(a: Any) -> bool:
    return not _finite(a)


def _has_nan(a: Any) -> bool:
    return isinstance(a, np.ndarray) and a.dtype.kind in "fcV" and has_nan(a)


def _all_finite(g: Any) -> bool:
    return all(_finite(x) for x in g) if isinstance(g, list | tuple) else _finite(g)
