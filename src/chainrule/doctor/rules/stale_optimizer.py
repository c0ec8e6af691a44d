"""stale-optimizer: the model was changed after the optimizer was made."""

from __future__ import annotations

import ast
import linecache
import re
from collections.abc import Iterator
from typing import Any

from ..finding import ERROR, Finding
from ..positions import LinePosition, Position
from ..run import OptimizerRecord
from .base import Rule
from .census import Census, listed

_REPLACES = re.compile(r"[A-Za-z_]\w*[.\[].*?(?<![=!<>])=(?!=)|setattr\(")  # an attribute

_CONSTRUCTS = re.compile(r"self\.\w+\s*[,=]")  # an attribute of a model that is being made


class StaleOptimizer(Rule):
    """Watches for an optimizer that holds parameters which no pass reaches any more, while others
    of the same shapes receive gradients and are in no optimizer: a layer was replaced, or the model
    was copied or loaded anew. Also layers that a model got after its optimizer was made.

    Silent: several optimizers that share a model between them.
    """

    id = "stale-optimizer"

    def __init__(self, run: Any) -> None:
        super().__init__(run)
        self._census: Census = run.shared(Census)

    def findings(self) -> Iterator[Finding]:
        outside = self._census.outside()
        for record in self.run.optimizers:
            stale = self._census.stale(record)
            if not outside or not (stale or self._census.added_later(record)):
                continue
            made = self.run.made_at(outside[0])
            if _CONSTRUCTS.match(made.text) and made.function == "__init__":
                made = self._maker(outside[0], record.position)
            elif not _REPLACES.match(
                made.text
            ):  # made by a helper: who called it replaced the model
                made = self._replacement(outside[0], record.position)
            where = record.position if made.code is None else put_into_the_model(made)
            if not stale:
                yield self._added(record, where)
                continue
            yield Finding(
                self.id,
                ERROR,
                where,
                f"{record.kind} holds parameters that the model no longer has: "
                f"{listed(outside, self.run.names())} took their place and are not trained",
                [
                    f"{len(stale)} parameters of the optimizer made at {record.position.short} "
                    "are not reached by any loss any more",
                    f"{len(outside)} parameters of the model receive gradients and never change",
                ],
                "make the optimizer after the model is complete",
                about=frozenset(("parameter", id(p)) for p in [*outside, *stale]),
            )

    def _replacement(self, parameter: Any, beside: Position) -> Position:
        """The line that called a helper for a new part: beside the optimizer's, or that which puts
        it into an object."""
        near = self.run.made_at(parameter, beside)
        if near.is_beside(beside):
            return near
        lines = self.run.made.get(parameter, ())
        return next((at for at in lines if _REPLACES.match(at.text)), near)

    def _maker(self, parameter: Any, beside: Position) -> Position:
        """The line that made the model of a parameter: beside the optimizer's, or outside of all
        constructors."""
        near = self.run.made_at(parameter, beside)
        if near.is_beside(beside):
            return near
        lines = self.run.made.get(parameter, ())
        return next((at for at in lines if at.function != "__init__"), near)

    def _added(self, record: OptimizerRecord, where: Position) -> Finding:
        added = self._census.added_later(record)
        return Finding(
            self.id,
            ERROR,
            where,
            f"{listed(added, self.run.names())} came into the model after {record.kind} was made: "
            "no optimizer holds them",
            [
                f"{len(added)} parameters receive gradients and never change; the optimizer was "
                f"made before them, at {record.position.short}"
            ],
            "make the optimizer after the model is complete, or call add_param_group",
            about=frozenset(("parameter", id(p)) for p in added),
        )


def put_into_the_model(made: Position) -> Position:
    """The statement that puts what a line made into the model: `small = ...; net[0] = small`."""
    name = made.target
    if not name or _REPLACES.match(made.text):
        return made
    try:
        tree = ast.parse("".join(linecache.getlines(made.file)))
    except (SyntaxError, ValueError):
        return made
    for node in ast.walk(tree):
        if not isinstance(node, ast.Assign) or node.lineno <= made.line:
            continue
        goes_in = any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(node.value))
        parts = [n for t in node.targets for n in ([*t.elts] if isinstance(t, ast.Tuple) else [t])]
        if goes_in and all(isinstance(n, ast.Attribute | ast.Subscript) for n in parts):
            return LinePosition(made.file, node.lineno)
    return made
