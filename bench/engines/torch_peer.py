"""PyTorch compiled: the loss, or the loss and the optimizer's step."""

from collections.abc import Callable
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from .base import Engine

OPTIMIZERS: tuple[dict[str, bool], ...] = ({}, {"foreach": True}, {"fused": True})
# Groups whose functions torch.compile takes as they are.
COMPILABLE = frozenset(
    {
        "train", "chain", "scalar", "hvp", "inference", "vision", "graph", "transformer", "bf16",
        "generate", "dynamic", "large",
    }
)  # fmt: skip


@dataclass(frozen=True)
class TorchCompile(Engine):
    def load(self) -> Any:
        """Compiles a little function: without a C++ compiler every workload would fail, slowly."""
        torch = super().load()
        torch.compile(lambda x: (x + 1).sin())(torch.ones(3))
        return torch

    def environment(self, threads: int) -> dict[str, str]:
        # A pool of compiling processes would stay and share the cores with what is measured.
        return {"TORCHINDUCTOR_COMPILE_THREADS": "1"}


def torch_compile(torch: Any) -> Callable[[Callable], Callable]:
    """For the shapes it is called with, which is faster than for any."""
    return lambda function: torch.compile(alone(function), dynamic=False)


def torch_compile_varied(torch: Any) -> Callable[[Callable], Callable]:
    """For any length."""
    return lambda function: torch.compile(alone(function), dynamic=True)


def alone(function: Callable) -> Callable:
    """The function with code of its own.

    PyTorch keeps what it compiled with the code object, of which closures made in the same place
    share one: a workload would have to be told from all others at every call.
    """

    def call(*arguments: Any) -> Any:
        return function(*arguments)

    return FunctionType(call.__code__.replace(), call.__globals__, "call", None, call.__closure__)


COMPILED_LOSS = TorchCompile(
    "torch.compile",
    "torch",
    peer=True,
    wrap=torch_compile,
    varied=torch_compile_varied,
    style={"optimizers": OPTIMIZERS},
    groups=COMPILABLE,
)
COMPILED_LOSS_AND_UPDATE = TorchCompile(
    "torch.compile+step",
    "torch",
    peer=True,
    wrap=torch_compile,
    style={"optimizers": OPTIMIZERS, "wraps_update": True},
    groups=frozenset({"train", "vision", "graph", "transformer", "bf16"}),
)
EAGER = Engine("torch", "torch", peer=True, style={"optimizers": OPTIMIZERS})
