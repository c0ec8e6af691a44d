"""Who can run the workloads.

An engine that speaks PyTorch's API needs one line in `ENGINES`; one that compiles functions names
how in `compiled`; any other (a different API) subclasses `Engine` and builds its own cases, as
`Control` does, returning None for the workloads it has no counterpart for.
"""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bench import control
from bench.case import Case, Workload, keep


@dataclass(frozen=True)
class Engine:
    name: str
    module: str
    # Lives in the interpreter given by --peer-python, where the peers are installed.
    peer: bool = False
    # From the module to a wrapper of functions, e.g. `lambda torch: torch.compile`.
    compiled: Callable[[Any], Callable] = lambda module: keep

    def load(self) -> Any:
        return importlib.import_module(self.module)

    def version(self, module: Any) -> str:
        return str(getattr(module, "__version__", "unknown"))

    def use_threads(self, module: Any, count: int) -> None:
        """Beyond the environment variables that the driver sets, for engines with their own."""
        if hasattr(module, "set_num_threads"):
            module.set_num_threads(count)

    def build(self, module: Any, workload: Workload) -> Case | None:
        return workload.build(module, self.compiled(module))


class CompiledSteps(Engine):
    """Compiles whole training steps; what users call in pieces stays with the eager engine."""

    def build(self, module: Any, workload: Workload) -> Case | None:
        return super().build(module, workload) if workload.group == "step" else None


class Control(Engine):
    def build(self, module: Any, workload: Workload) -> Case | None:
        return control.build(workload)


ENGINES: dict[str, Engine] = {
    engine.name: engine
    for engine in (
        Engine("chainrule", "chainrule"),
        CompiledSteps("compiled", "chainrule", compiled=lambda chainrule: chainrule.compile),
        Engine("torch", "torch", peer=True),
        Control("control", "numpy"),
    )
}
