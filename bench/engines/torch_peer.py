"""PyTorch compiled: the loss, or the loss and the optimizer's step."""

from dataclasses import dataclass
from typing import Any

from .base import Engine

OPTIMIZERS: tuple[dict[str, bool], ...] = ({}, {"foreach": True}, {"fused": True})
# Groups whose functions torch.compile takes as they are.
COMPILABLE = frozenset({"train", "chain", "scalar", "hvp", "inference"})


@dataclass(frozen=True)
class TorchCompile(Engine):
    def load(self) -> Any:
        """Compiles a little function: without a C++ compiler every workload would fail, slowly."""
        torch = super().load()
        torch.compile(lambda x: (x + 1).sin())(torch.ones(3))
        # Workloads make their functions in the same places of the source, which PyTorch counts
        # as one function compiled again and again.
        torch._dynamo.config.recompile_limit = 256
        return torch

    def environment(self, threads: int) -> dict[str, str]:
        # A pool of compiling processes would stay and share the cores with what is measured.
        return {"TORCHINDUCTOR_COMPILE_THREADS": "1"}


def torch_compile(torch: Any) -> Any:
    return torch.compile


COMPILED_LOSS = TorchCompile(
    "torch.compile",
    "torch",
    peer=True,
    wrap=torch_compile,
    style={"optimizers": OPTIMIZERS},
    groups=COMPILABLE,
)
COMPILED_LOSS_AND_UPDATE = TorchCompile(
    "torch.compile+step",
    "torch",
    peer=True,
    wrap=torch_compile,
    style={"optimizers": OPTIMIZERS, "wraps_update": True},
    groups=frozenset({"train"}),
)
EAGER = Engine("torch", "torch", peer=True, style={"optimizers": OPTIMIZERS})
