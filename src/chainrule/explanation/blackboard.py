"""`chain_rule(y, wrt=x)`: the derivation as on a blackboard, with numbers."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from ..autograd.accidents import explain_module
from ..reading.html import fragment, page
from ..reading.markup import escape
from ..reading.svg import short_number
from ..reading.terminal import Block, Report, Text
from .chain import crossings, named
from .explain import explain
from .formulas import formula, number_of, plugged, step_formula, with_numbers
from .paths import fraction, label_of

DOT = "\N{MIDDLE DOT}"
MOST_STEPS = 24
MOST_WAYS = 6


class Derivation(Report):
    """The derivation: `forward` lines, `steps` of the chain, and the `result`."""

    def __init__(self, explanation: Any) -> None:
        self.explanation = explanation
        e = explanation
        every = crossings(e.between)
        stops = named(every)
        if len(stops) < 3 <= len(every):  # one line: its own parts are the links
            stops = every
        self.chain = e.steps(stops)
        self._pairs = list(pairwise([v for v, _, _ in stops]))
        self.goal = fraction(e.y_name, e.x_name)
        self.forward = self._forward()
        self.steps = self._steps()
        self.result = self._result()

    def _forward(self) -> list[str]:
        """How each value of the chain was computed, inputs first."""
        tape = self.explanation.tape
        lines = []
        shown = {upper.key for upper, _ in self._pairs}
        for upper in reversed(self.explanation.between.order):
            if not upper.title and upper.key not in shown:
                continue
            text, numbers = formula(upper), with_numbers(tape, upper)
            value = number_of(tape, upper)
            parts = [p for p in (label_of(upper), text, numbers) if p]
            if value is not None:
                parts.append(short_number(value, 6))
            lines.append(" = ".join(dict.fromkeys(parts)))
        return lines

    def _steps(self) -> list[str]:
        e = self.explanation
        made = []
        for step, (upper, lower) in zip(self.chain, self._pairs, strict=True):
            left = fraction(step.result, step.by)
            value = short_number(step.multiplier, 6)
            so_far = short_number(step.product, 6)
            if e.kind == "tensor":
                made.append(f"{left}: {_rule(upper)}; the gradient's norm is multiplied by {value} "
                            f"(norm so far {so_far})")  # fmt: skip
                continue
            text = step_formula(e.between, upper, lower)
            region = [*e.between.between(upper, lower), lower]
            numbers = plugged(e.tape, text, region) if text else ""
            parts = [p for p in (left, text, numbers, value) if p]
            made.append(f"{' = '.join(_distinct(parts))}    (product so far {so_far})")
            if step.ways > 1 and (not text or len(self.chain) == 1):
                made += self._ways(step)
        return made

    def _ways(self, step: Any) -> list[str]:
        """A step that several paths take: each path with its links, where the step is all."""
        e = self.explanation
        if len(self.chain) > 1:
            return [f"    a sum over {step.ways:,} ways"]
        lines = [f"    a sum over {step.ways:,} ways:"]
        for p in e.paths[:MOST_WAYS]:
            via = " -> ".join(dict.fromkeys(p.names))
            product = f" {DOT} ".join(_bracket(k.derivative) for k in p.links[:12])
            lines.append(f"    {via}: {product} = {short_number(p.contribution, 6)}")
        if e.count > len(e.paths[:MOST_WAYS]):
            lines.append(f"    ... and {e.count - MOST_WAYS:,} more")
        return lines

    def _result(self) -> str:
        e = self.explanation
        if e.kind == "tensor":
            from .flows import norm

            size = short_number(norm(e.gradient._a), 6)
            return f"{self.goal} has shape {list(e.gradient.shape)} and norm {size}"
        value = short_number(float(e.gradient._a.reshape(())), 6)
        if len(self.chain) < 2:
            return f"{self.goal} = {value}"
        factors = f" {DOT} ".join(_bracket(s.multiplier) for s in self.chain[:MOST_STEPS])
        more = f" {DOT} ..." if len(self.chain) > MOST_STEPS else ""
        return f"{self.goal} = {factors}{more} = {value}"

    @property
    def product(self) -> str:
        """The chain rule itself, in symbols."""
        factors = [f"({fraction(s.result, s.by)})" for s in self.chain[:MOST_STEPS]]
        more = f" {DOT} ..." if len(self.chain) > MOST_STEPS else ""
        return f"{self.goal} = " + f" {DOT} ".join(factors) + more

    def sections(self) -> list[tuple[str, list[str]]]:
        """The derivation in parts: heading, lines."""
        made = [("Forward, with numbers", _cut(self.forward))]
        if len(self.chain) > 1:
            made.append(("The chain rule", [self.product]))
        made.append(("Link by link, from the output", _cut(self.steps)))
        made.append(("Multiplied", [self.result]))
        return made

    def blocks(self) -> list[Block]:
        return [Text([head, *(f"  {line}" for line in lines)]) for head, lines in self.sections()]

    def to_html(self, path: Any = None) -> str:
        """A page that looks like a blackboard; written to `path` where one is given."""
        from .pictures import written

        return written(page(self.goal, _board(self)), path)

    def _repr_html_(self) -> str:
        return fragment(_board(self))


def chain_rule(y: Any, wrt: Any, *, module: Any = None) -> Derivation:
    """Derive d y / d x step by step: how it was computed, each link, the product so far.

    >>> import chainrule as torch
    >>> x = torch.tensor(2.0, requires_grad=True)
    >>> u = x ** 2
    >>> y = u.sin()
    >>> print(torch.chain_rule(y, wrt=x))
    Forward, with numbers
      u = x ** 2 = 2 ** 2 = 4
      y = u.sin() = (4).sin() = -0.756802
    <BLANKLINE>
    The chain rule
      d y / d x = (d y / d u) · (d u / d x)
    <BLANKLINE>
    Link by link, from the output
      d y / d u = cos(u) = cos(4) = -0.653644    (product so far -0.653644)
      d u / d x = 2*x = 2 * 2 = 4    (product so far -2.61457)
    <BLANKLINE>
    Multiplied
      d y / d x = (-0.653644) · 4 = -2.61457
    """
    found = explain(y, wrt, module=module)
    if not hasattr(found, "between"):
        raise ValueError("chain_rule derives one derivative at a time: give one tensor as wrt")
    return Derivation(found)


def _rule(v: Any) -> str:
    return f"the rule of {v.op} ({v.torch_name})"


def _bracket(x: float) -> str:
    text = short_number(x, 6)
    return f"({text})" if text.startswith("-") else text


def _distinct(parts: list[str]) -> list[str]:
    """The parts without one that says the same as the one before it."""
    plain = [p.replace(" ", "") for p in parts]
    return [p for k, p in enumerate(parts) if k == 0 or plain[k] != plain[k - 1]]


def _cut(lines: list[str]) -> list[str]:
    if len(lines) <= MOST_STEPS:
        return lines
    half = MOST_STEPS // 2
    return [*lines[:half], f"... {len(lines) - 2 * half} more ...", *lines[-half:]]


def _board(d: Derivation) -> str:
    parts = [
        "<style>.board{background:#20392f;color:#f2efe2;border:8px solid #7a5a35;"
        "border-radius:10px;padding:18px 26px;display:inline-block;min-width:420px}"
        ".board h2{color:#f0d58c;font-size:15px;margin:14px 0 4px}"
        ".board div{font:16px/1.7 ui-monospace,Menlo,'DejaVu Sans Mono',monospace;"
        "white-space:pre-wrap}"
        ".board .last{font-size:19px;color:#fff}</style>",
        f'<div class="board"><h2>{escape(d.goal)}</h2>',
    ]
    for head, lines in d.sections():
        parts.append(f"<h2>{escape(head)}</h2>")
        mark = ' class="last"' if head == "Multiplied" else ""
        parts += [f"<div{mark}>{escape(line)}</div>" for line in lines]
    return "".join([*parts, "</div>"])


explain_module(globals())

__all__ = ["Derivation", "chain_rule"]
