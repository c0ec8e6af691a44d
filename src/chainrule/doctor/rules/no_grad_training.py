"""no-grad-training: backward() has nothing to go back through."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from typing import Any

from ...autograd.state import STATE
from ...nn.parameter import Parameter
from ..finding import ERROR, Finding
from ..positions import LinePosition, Position
from ..run import Pass
from .base import Rule
from .failures import NO_GRAPH, is_about

CUTS = ("detach", "item", "data", "numpy", "tolist", "detach_")
PASSES = 3  # that reached no parameter, before it counts


class NoGradTraining(Rule):
    """Watches for a loss without a graph: the exception of backward(), a loss that was made anew
    with `requires_grad=True`, and steps at which no parameter ever had a gradient.

    Silent: target networks, EMA copies and teachers, whose forward runs under no_grad while
    another loss trains the student; gradients with respect to inputs.
    """

    id = "no-grad-training"

    def __init__(self, run: Any) -> None:
        super().__init__(run)
        self._switch: tuple[str, Position] | None = None  # the latest line that switched off
        self._found: Finding | None = None
        self._nowhere = 0  # passes in a row that reached no parameter
        self._reached = False

    def grad_switched(self, name: str, where: Position) -> None:
        if where.is_users:
            self._switch = (name, where)

    def pass_failed(self, this: Pass, problem: BaseException) -> None:
        if self._found is None and is_about(problem, NO_GRAPH):
            self._found = self._explain(this, "backward() raised: the loss has no graph")

    def pass_ends(self, this: Pass) -> None:
        if not this.looked or self._reached or self._found is not None:
            return
        known = self.run.in_optimizers()
        if not known:
            return
        if any(id(leaf) in known for leaf in this.leaves):
            self._reached = True
            return
        if any(isinstance(leaf, Parameter) for leaf in this.leaves):
            return  # others are reached: the rules about parameters speak of that
        self._nowhere += 1
        lonely = this.tape is not None and not this.tape.nodes
        if self._nowhere >= PASSES and (lonely or not self._any_gradient()):
            self._found = self._explain(this, f"{PASSES} passes reached no parameter")

    def _any_gradient(self) -> bool:
        return any(p.grad is not None for record in self.run.optimizers for p in record.parameters)

    def _explain(self, this: Pass, seen: str) -> Finding:
        where, why, fix = self._cause(this)
        return Finding(
            self.id,
            ERROR,
            where,
            f"the loss does not depend on any parameter: {why}",
            [f"{seen}, at {this.site.position.short}"],
            fix,
        )

    def _cause(self, this: Pass) -> tuple[Position, str, str]:
        frozen = self._all_frozen()
        cut = made_from_numbers(this)
        if cut is not None:
            return cut[0], f"`{cut[1]}` cuts the graph", "keep the tensor: leave the cut out"
        if self._switch is not None and (not STATE.grad_enabled or not frozen):
            name, where = self._switch
            what = "set_grad_enabled(False)" if name == "set" else f"{name}()"
            return where, f"it was computed under {what}", f"run the training pass outside {what}"
        if frozen:
            return (
                this.site.position,
                "every parameter has requires_grad=False",
                "requires_grad_(True) on the parameters that are to be trained",
            )
        return this.site.position, "nothing that was recorded leads to it", "compute it from them"

    def _all_frozen(self) -> bool:
        given = [p for record in self.run.optimizers for p in record.parameters]
        return bool(given) and not any(p._rg for p in given)

    def findings(self) -> Iterator[Finding]:
        if self._found is not None:
            yield self._found


def made_from_numbers(this: Pass) -> tuple[Position, str] | None:
    """The line in the function around backward() that made the loss out of cut tensors."""
    frame = this.frame
    if frame is None:
        return None
    file = frame.f_code.co_filename
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return None
    call = this.site.position.text
    name = call.split(".backward")[0].strip() if ".backward" in call else ""
    for _ in range(3):
        found = _assignment(tree, name, frame.f_lineno)
        if found is None:
            return None
        cut = _cut_in(found.value)
        if cut:
            return LinePosition(file, found.lineno), cut
        if not isinstance(found.value, ast.Name):
            return None
        name = found.value.id
    return None


def _assignment(tree: ast.AST, name: str, before: int) -> Any:
    """The latest assignment to a name above a line."""
    best = None
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and node.lineno < before:
            hit = any(isinstance(t, ast.Name) and t.id == name for t in node.targets)
            if hit and (best is None or node.lineno > best.lineno):
                best = node
    return best


def _cut_in(value: ast.AST) -> str:
    for node in ast.walk(value):
        if isinstance(node, ast.Attribute) and node.attr in CUTS:
            return f".{node.attr}" if node.attr == "data" else f".{node.attr}()"
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("tensor", "as_tensor", "from_numpy", "Tensor", "FloatTensor")
        ):
            return f"torch.{node.func.attr}(...)"
    return ""
