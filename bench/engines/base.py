"""What an engine is.

One that speaks PyTorch's API is a line in `ENGINES`; one that compiles functions names how in
`wrap`; any other subclasses `Engine` and builds its own cases, returning None for the workloads it
has no counterpart for.
"""

import importlib
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import metadata
from typing import Any

from ..case import Case, Style, Workload, keep


class Unavailable(Exception):
    """An engine cannot run here; the message says why."""


@dataclass(frozen=True)
class Engine:
    name: str
    module: str
    # Lives in the interpreter given by --peer-python, where the peers are installed.
    peer: bool = False
    # From the module to a wrapper of functions, e.g. `lambda torch: torch.compile`.
    wrap: Callable[[Any], Callable] = lambda module: keep
    # The same for functions that are called with many lengths.
    varied: Callable[[Any], Callable] = lambda module: keep
    # Other fields of `Style`.
    style: dict[str, Any] = field(default_factory=dict)
    # The groups of workloads it runs; None: all.
    groups: frozenset[str] | None = None

    def load(self) -> Any:
        """Import it, and make sure that it works; raises what is wrong."""
        return importlib.import_module(self.module)

    def version(self, module: Any) -> str:
        if hasattr(module, "__version__"):
            return str(module.__version__)
        return metadata.version(self.module)

    def environment(self, threads: int) -> dict[str, str]:
        """Variables that this engine reads when it starts."""
        return {}

    def use_threads(self, module: Any, count: int) -> None:
        """Beyond the environment variables that the driver sets, for engines with their own."""
        if hasattr(module, "set_num_threads"):
            module.set_num_threads(count)

    def covers(self, workload: Workload) -> bool:
        """Whether it is worth starting for this workload."""
        return self.groups is None or workload.group in self.groups

    def build(self, module: Any, workload: Workload) -> Case | None:
        if not self.covers(workload):
            return None
        return workload.build(
            module, Style(wrap=self.wrap(module), varied=self.varied(module), **self.style)
        )


@dataclass(frozen=True)
class Counterparts(Engine):
    """An engine with its own API: `builders` maps kinds of workloads to functions of params."""

    builders: dict[str, Callable[..., Case | None]] = field(default_factory=dict)

    def covers(self, workload: Workload) -> bool:
        return workload.kind in self.builders

    def build(self, module: Any, workload: Workload) -> Case | None:
        return self.builders[workload.kind](**workload.params) if self.covers(workload) else None
