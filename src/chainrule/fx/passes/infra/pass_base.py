"""The form of a pass: it takes a GraphModule and says whether it changed it."""

from __future__ import annotations

import abc
from typing import Any, NamedTuple


class PassResult(NamedTuple):
    """The module after a pass, and whether it was changed."""

    graph_module: Any
    modified: bool


class PassBase(abc.ABC):
    """A pass; `call` does the work, `requires` and `ensures` check before and after."""

    def __call__(self, graph_module: Any) -> PassResult | None:
        self.requires(graph_module)
        found = self.call(graph_module)
        self.ensures(graph_module)
        return found

    @abc.abstractmethod
    def call(self, graph_module: Any) -> PassResult | None:
        """What the pass does."""

    def requires(self, graph_module: Any) -> None:  # noqa: B027 - optional
        """Checked before the pass."""

    def ensures(self, graph_module: Any) -> None:  # noqa: B027 - optional
        """Checked after the pass."""


__all__ = ["PassBase", "PassResult"]
