"""no-grad-training: backward() has nothing to go back through."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from ...autograd.state import STATE
from ...nn.parameter import Parameter
from ..cuts import Cuts
from ..finding import ERROR, Finding
from ..positions import LinePosition, Position, is_users
from ..run import Pass
from .base import Rule
from .containers import attributes
from .failures import NO_GRAPH, is_about

CUTS = ("detach", "item", "data", "numpy", "tolist", "detach_")
STEPS = ("argmax", "argmin", "eq", "ne", "round", "sign", "floor", "ceil", "long", "int")  # flat
HEARD = (".detach()", ".item()", ".data", ".numpy()", ".tolist()", "argmax()", "argmin()", "long()",
         "int()")  # fmt: skip
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
        self._cuts: Cuts = run.shared(Cuts)

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
        lonely = this.tape is not None and not this.nodes
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
        cut = None if frozen else made_from_numbers(this)
        if cut is not None and (cut[1] not in HEARD or self._cuts.heard_at(cut[0])):
            return cut[0], f"`{cut[1]}` cuts the graph", "keep the tensor: leave the cut out"
        out = self._cuts.latest(self.run.in_optimizers())
        recorded = out is not None and out.passes == self.run.passes
        if self._switch is not None and (not STATE.grad_enabled or not (frozen or recorded)):
            name, where = self._switch
            what = "set_grad_enabled(False)" if name == "set" else f"{name}()"
            return where, f"it was computed under {what}", f"run the training pass outside {what}"
        if out is not None and recorded and not frozen:
            return out.where, f"{out.name} cuts the graph", "keep the tensor: leave the cut out"
        if frozen:
            return (
                self._frozen_at(this.site.position),
                "every parameter has requires_grad=False",
                "requires_grad_(True) on the parameters that are to be trained",
            )
        return this.site.position, "nothing that was recorded leads to it", "compute it from them"

    def _frozen_at(self, fallback: Position) -> Position:
        """The line that froze the parameters."""
        for record in self.run.optimizers:
            for p in record.parameters:
                where = self.run.frozen_at.get(p)
                if where is not None and where.is_users:
                    return where
        return fallback

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
    return _made_by(tree, name, frame.f_lineno, file, 4) or _in_called(frame, tree, name)


def _in_called(frame: Any, tree: ast.AST, name: str) -> tuple[Position, str] | None:
    """The cut in a function or module of another file that returned a variable."""
    found = _assignment(tree, name, frame.f_lineno)
    value = None if found is None else found.value
    called = _looked_up(frame, value.func) if isinstance(value, ast.Call) else None
    function = getattr(type(called), "forward", called) if called is not None else None
    code = getattr(function, "__code__", None)
    if code is None or not is_users(code.co_filename):
        return None
    file = code.co_filename
    try:
        there = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return None
    for node in ast.walk(there):
        if isinstance(node, ast.FunctionDef) and node.name == code.co_name:
            for end in ast.walk(node):
                if isinstance(end, ast.Return) and end.value is not None:
                    cut = _cut_of(node, end.value, end.lineno, file, 3)
                    if cut is not None:
                        return cut
    return None


def _looked_up(frame: Any, node: ast.AST) -> Any:
    """What a name or an attribute of one is in a running function."""
    if isinstance(node, ast.Name):
        return frame.f_locals.get(node.id, frame.f_globals.get(node.id))
    if isinstance(node, ast.Attribute):
        owner = _looked_up(frame, node.value)
        own = vars(owner) if isinstance(owner, ModuleType) else attributes(owner)
        return own.get(node.attr, own.get("_modules", {}).get(node.attr))
    return None


def _made_by(
    tree: ast.AST, name: str, before: int, file: str, depth: int
) -> tuple[Position, str] | None:
    """The cut behind a variable: in its assignment, or in the function that returned it."""
    found = _assignment(tree, name, before)
    if found is None or depth == 0:
        return None
    return _cut_of(tree, found.value, found.lineno, file, depth)


def _cut_of(
    tree: ast.AST, value: ast.AST, line: int, file: str, depth: int
) -> tuple[Position, str] | None:
    cut = _cut_in(value)
    if cut:
        return LinePosition(file, line), cut
    if isinstance(value, ast.Name):
        return _made_by(tree, value.id, line, file, depth - 1)
    called = value.func if isinstance(value, ast.Call) else None
    name = getattr(called, "attr", getattr(called, "id", ""))
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef) or node.name != name or depth <= 1:
            continue
        for end in ast.walk(node):
            if isinstance(end, ast.Return) and end.value is not None:
                found = _cut_of(node, end.value, end.lineno, file, depth - 1)
                if found is not None:
                    return found
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
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if node.func.attr in ("tensor", "as_tensor", "from_numpy", "Tensor", "FloatTensor"):
            return f"torch.{node.func.attr}(...)"
        if node.func.attr in STEPS:
            return f"{node.func.attr}()"
    return ""
