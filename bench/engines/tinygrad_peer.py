"""tinygrad: training steps of the perceptrons and the convolutional network, with TinyJit."""

import contextlib
from dataclasses import dataclass
from typing import Any

from ..case import Case, Repeated
from ..workloads.models import BATCHES
from ..workloads.train import DECAY, RATE, STEPS_COMPARED
from . import jax_models
from .base import Counterparts


@dataclass(frozen=True)
class TinygradEngine(Counterparts):
    def load(self) -> Any:
        """Adds two numbers: its device for the CPU is compiled when first used."""
        tinygrad = super().load()
        (tinygrad.Tensor([1.0]) + 1).tolist()
        return tinygrad

    def environment(self, threads: int) -> dict[str, str]:
        return {"DEV": "CPU"}


def training() -> Any:
    """The optimizers ask for this mode, whose name depends on the version."""
    from tinygrad import Context, Tensor

    return Tensor.train() if hasattr(Tensor, "train") else Context(TRAINING=1)


def logits(parameters: dict[str, Any], x: Any, family: str, sizes: dict[str, Any]) -> Any:
    linear = jax_models.apply_linear
    if family == "mlp":
        last = 2 * (len(sizes["sizes"]) - 2)
        for layer in range(0, last, 2):
            x = linear(parameters, str(layer), x).relu()
        return linear(parameters, str(last), x)
    for name in ("0", "2"):
        x = x.conv2d(parameters[f"{name}.weight"], parameters[f"{name}.bias"]).relu()
    x = x.max_pool2d((2, 2)).flatten(1)
    return linear(parameters, "8", linear(parameters, "6", x).relu())


def train_case(family: str, **sizes: Any) -> Case | None:
    if family not in ("mlp", "cnn"):
        return None
    from tinygrad import Tensor, TinyJit
    from tinygrad.nn.optim import AdamW

    arrays = jax_models.parameters(family, **sizes)
    parameters = {name: Tensor(array).realize() for name, array in arrays.items()}
    for parameter in parameters.values():
        with contextlib.suppress(AttributeError):  # newer versions need no mark
            parameter.requires_grad = True
    x, y = (Tensor(array).realize() for array in BATCHES[family](**sizes))
    optimizer = AdamW(list(parameters.values()), lr=RATE, weight_decay=DECAY)

    @TinyJit
    def jitted(x: Any, y: Any) -> Any:
        optimizer.zero_grad()
        loss = logits(parameters, x, family, sizes).sparse_categorical_crossentropy(y)
        loss.backward()
        # Together with the update: realised after it, the loss would be that of the next step.
        return loss.realize(*optimizer.schedule_step())

    def step() -> Any:
        with training():
            return jitted(x, y)

    losses = [step().item() for _ in range(STEPS_COMPARED)]
    latest = [step()]

    def once() -> None:
        latest[0] = step()

    return Repeated(once, lambda: losses, finish=lambda: latest[0].item())


TINYGRAD = TinygradEngine("tinygrad", "tinygrad", peer=True, builders={"train": train_case})
