"""inplace-corruption: something that backward needs was overwritten."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...autograd.op_rules import saved_names
from ...reading.nodes import Tape, Vertex
from ..finding import ERROR, Finding
from ..positions import NOWHERE, Position, of_node
from ..run import Pass, tape_of
from .aliases import Aliases
from .base import Rule
from .failures import MODIFIED, is_about


class InplaceCorruption(Rule):
    """Watches the version counters of what the graph saved: each knows who wrote last, and where.

    Speaks when backward meets a value that was written after it was saved, and names the line that
    wrote. Writes through `.data` and `numpy()` go past the counters and raise nothing: what was
    handed out is compared when the pass begins. Silent: in-place writes that no backward pass
    needs, writes before the forward pass or after the backward pass.
    """

    id = "inplace-corruption"

    def __init__(self, run: Any) -> None:
        super().__init__(run)
        self._found: tuple[Position, str, Vertex, str, Position] | None = None
        self._aliases: Aliases = run.shared(Aliases)

    def pass_begins(self, this: Pass) -> None:
        if self._found is not None or this.tape is None:
            return
        found = self._aliases.written(this.tape)
        if found is not None:
            vertex, name, where, kind = found
            writer = f"a write through {'.data' if kind == 'data' else 'numpy()'}"
            self._found = (where, writer, vertex, name, this.site.position)

    def pass_failed(self, this: Pass, problem: BaseException) -> None:
        if self._found is None and is_about(problem, MODIFIED):
            tape = this.tape or tape_of(this.loss)
            found = None if tape is None else written_after(tape)
            if found is not None:
                vertex, name, writer, where = found
                self._found = (where, writer, vertex, name, this.site.position)

    def findings(self) -> Iterator[Finding]:
        if self._found is None:
            return
        where, writer, vertex, name, called = self._found
        saver = of_node(vertex.node)
        by_step = writer == "an optimizer's step"
        message = (
            "step() changed weights that this backward() still needs"
            if by_step
            else f"{writer} overwrites a value that backward() needs"
        )
        fix = (
            "compute the loss again after step(), or call backward() before it"
            if by_step
            else _fix(where, writer)
        )
        yield Finding(
            self.id,
            ERROR,
            where if where.line else called,
            message,
            [
                f"{vertex.op} at {saver.short} ({saver.text}) saved "
                f"{'its result' if name.startswith('out') else f'its input {name!r}'}",
                f"it was written afterwards at {where.short}; backward() at {called.short} met it",
            ],
            fix,
        )


def written_after(tape: Tape) -> tuple[Vertex, str, str, Position] | None:
    """The first saved value of a graph that was written later: node, its name, writer and line."""
    for vertex in tape.nodes:
        node = vertex.node
        if node.op is None or not isinstance(node.s, tuple):
            continue
        names = saved_names(node.op)
        for k, name in enumerate(names):
            at = len(names) + 2 * k
            if at + 1 >= len(node.s) or not isinstance(node.s[at], list):
                continue
            counter, then = node.s[at], node.s[at + 1]
            if counter[0] != then:
                if len(counter) >= 4:
                    return vertex, name, counter[1], Position(counter[2], counter[3])
                return vertex, name, "an in-place operation", NOWHERE
    return None


def _fix(where: Position, writer: str) -> str:
    text = where.text
    for sign in ("+=", "-=", "*=", "/="):
        if sign in text:
            left, right = (part.strip() for part in text.split(sign, 1))
            return f"{left} = {left} {sign[0]} {right}"
    if writer.endswith("_") and f".{writer}(" in text:
        plain = writer.rstrip("_")
        return text.replace(f".{writer}(", f".{plain}(", 1) + "  # and use its result"
    return "write into a clone(): x = x.clone()"
