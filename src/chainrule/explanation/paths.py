"""What an explanation is made of: links with numbers, paths of links, steps between variables."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ..reading import Link, Place, Vertex

MOST_NUMBERS = 10_000  # of an array that are written into JSON


def label_of(v: Vertex) -> str:
    """What to call a vertex: its variable, the expression that made it, or its op."""
    if v.title:
        return v.title
    if v.leaf is not None:
        return f"leaf {list(v.leaf.shape)}"
    place = v.place
    if place.expression and not _is_part_of_a_call(v):
        return place.expression
    return v.op


def _is_part_of_a_call(v: Vertex) -> bool:
    """Whether one call of the user's recorded more nodes than this: its text names the last."""
    node = v.node
    return any(u.child.node.code is node.code and u.child.node.lasti == node.lasti for u in v.uses)


def fraction(result: str, by: str) -> str:
    """`d y / d x`; what is an expression is put in brackets."""
    return f"d {_bracketed(result)} / d {_bracketed(by)}"


def _bracketed(name: str) -> str:
    plain = " " not in name or name.endswith("]") or name[:1] == "("
    return name if plain else f"({name})"


@dataclass(frozen=True, slots=True)
class PathLink:
    """One link of a path: how much `result` moves when `by` moves."""

    result: str  # what the op made, by the user's name or expression
    by: str  # the input this link leads to
    op: str
    torch_name: str
    place: Place
    module: str
    derivative: float  # local derivative; for tensors the gain |g out| / |g in| on this path
    product: float  # of the links so far; for tensors the norm of the gradient so far

    def as_dict(self) -> dict[str, Any]:
        return {
            "result": self.result, "by": self.by, "op": self.op, "node": self.torch_name,
            "line": self.place.line, "file": self.place.file, "text": self.place.text,
            "module": self.module, "derivative": self.derivative, "product": self.product,
        }  # fmt: skip


def array_data(a: Any) -> Any:
    """An array as data: its numbers, or what describes it where there are very many."""
    if a.size <= MOST_NUMBERS:
        return a.tolist()
    size = np.abs(a)
    return {
        "shape": list(a.shape), "norm": float(np.linalg.norm(a)), "largest": float(size.max()),
        "mean_size": float(size.mean()),
    }  # fmt: skip


@dataclass(frozen=True)
class Path:
    """One way from the output to the input."""

    _way: tuple[Link, ...] = field(repr=False)
    _numbers: tuple[tuple[float, float], ...] = field(repr=False)  # (derivative, product) by link
    contribution: Any  # a number, or a tensor of the input's shape
    norm: float  # |contribution|
    share: float  # of the gradient; for tensors its projection on it: shares add up to 1
    alignment: float  # cosine with the gradient (for numbers its sign relative to it)

    @cached_property
    def links(self) -> tuple[PathLink, ...]:
        """The links from the output on; made when asked for, a path may have a million."""
        pairs = zip(self._way, self._numbers, strict=True)
        return tuple(path_link(link, *numbers) for link, numbers in pairs)

    def __len__(self) -> int:
        return len(self._way)

    @property
    def largest(self) -> float:
        """The largest size the running product has on the way."""
        return max((abs(product) for _, product in self._numbers), default=self.norm)

    @property
    def names(self) -> list[str]:
        """The values it goes through, output first."""
        return [link.result for link in self.links] + [link.by for link in self.links[-1:]]

    def as_dict(self) -> dict[str, Any]:
        value = self.contribution
        return {
            "contribution": value if isinstance(value, float) else array_data(value._a),
            "norm": self.norm, "share": self.share, "alignment": self.alignment,
            "links": [link.as_dict() for link in self.links],
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Step:
    """A link of the chain between two values that every path goes through."""

    result: str
    by: str
    place: Place  # the line that computed `result`
    module: str
    multiplier: float  # d result / d by over all ways between them; for tensors a gain
    product: float  # of the steps so far
    ways: int  # paths between the two
    elasticity: float | None = None  # percent per percent, where both values are known numbers

    def as_dict(self) -> dict[str, Any]:
        return {
            "result": self.result, "by": self.by, "multiplier": self.multiplier,
            "product": self.product, "ways": self.ways, "line": self.place.line,
            "file": self.place.file, "text": self.place.text, "module": self.module,
            "elasticity": self.elasticity,
        }  # fmt: skip


def path_link(link: Link, derivative: float, product: float) -> PathLink:
    child = link.child
    return PathLink(
        label_of(child), label_of(link.parent), child.op, child.torch_name, child.place,
        child.module, derivative, product,
    )  # fmt: skip


__all__ = ["Path", "PathLink", "Step", "fraction", "label_of", "path_link"]
