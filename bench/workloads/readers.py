"""What looking costs: a GPT's training step alone, watched, explained, and in anomaly mode.

`unused` has never been looked at; `after` has, and the block has ended: both are to take the same
time. The others run inside their block.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from ..case import Case, Repeated, Style, Within, Workload
from . import models

SIZES = {"layers": 4, "width": 128, "heads": 4, "length": 64, "batch": 12}
STEPS_COMPARED = 2
# How many times the step that nobody looks at each may take.
MOST = {"after": 1.05, "gradient_flow": 1.15, "doctor": 1.1, "explain": 3.0, "anomaly_forward": 3.0}

Context = Callable[[], AbstractContextManager[Any]]


def contexts(torch: Any, model: Any, optimizer: Any) -> dict[str, Context]:
    @contextmanager
    def anomaly() -> Iterator[None]:
        with torch.autograd.set_detect_anomaly(True, forward=True):
            yield

    def watched() -> AbstractContextManager[Any]:
        return torch.gradient_flow.watch(model, optimizer, every=10)

    return {
        "unused": nullcontext,
        "after": nullcontext,
        "gradient_flow": watched,
        "doctor": lambda: torch.doctor.watch(model, optimizer),
        "explain": nullcontext,
        "anomaly_forward": anomaly,
    }


def reader_case(torch: Any, style: Style, name: str) -> Case | None:
    if not hasattr(torch, "gradient_flow") or style.whole:
        return None
    model = models.model_of(torch, "gpt", **SIZES)
    models.set_weights(torch, model)
    inputs, targets = models.BATCHES["gpt"](**SIZES)
    x, y = torch.tensor(inputs), torch.tensor(targets)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

    def forward() -> Any:
        logits = model(x)
        return torch.nn.functional.cross_entropy(logits.view(-1, logits.shape[-1]), y)

    def explained() -> Any:
        """The forward pass, and why the gradient of a weight far from the loss is what it is."""
        with torch.reading.track_modules(model) as calls:
            loss = forward()
        torch.explain(loss, wrt="blocks.0.norm1.weight", module=model, modules=calls)
        return loss

    def step() -> Any:
        optimizer.zero_grad()
        loss = explained() if name == "explain" else forward()
        loss.backward()
        optimizer.step()
        return loss

    known = contexts(torch, model, optimizer)
    if name == "after":
        for context in known.values():
            with context():
                step()
    return Within(known[name], Repeated(step, lambda: [step().item()] * STEPS_COMPARED))


def workloads() -> Iterator[Workload]:
    for name in ("unused", *MOST):
        yield Workload(
            f"reader/gpt/{name}",
            "reader",
            lambda torch, style, name=name: reader_case(torch, style, name),  # type: ignore[arg-type,return-value]
            "reader",
            {"name": name},
            threaded=True,
        )
