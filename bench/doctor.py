"""What the doctor costs: whole training runs, watched and not, in turns: `python -m bench.doctor`,
with the names of runs after it for some of them.

Processor time of the run with its first steps, which are read one by one; the best of several turns
of each. Small models run as many steps as a small script does.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

TURNS = 7
MOST_LARGE, MOST_SMALL = 1.1, 2.0  # times the run that nobody watches
LARGE = 5e-3  # seconds of a step

Step = Callable[[], None]


def trained(torch: Any, model: Any, loss_of: Callable[[], Any]) -> Step:
    """A step of training."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

    def step() -> None:
        loss = loss_of()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    return step


def perceptron(torch: Any, width: int, depth: int, rows: int) -> Step:
    nn = torch.nn
    layers = [part for _ in range(depth) for part in (nn.Linear(width, width), nn.ReLU())]
    model = nn.Sequential(*layers, nn.Linear(width, 10))
    x, y = torch.randn(rows, width), torch.arange(rows) % 10
    return trained(torch, model, lambda: nn.functional.cross_entropy(model(x), y))


def images(torch: Any, rows: int) -> Step:
    nn = torch.nn
    model = nn.Sequential(
        nn.Conv2d(1, 16, 3), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3), nn.ReLU(), nn.Flatten(), nn.Linear(32 * 11 * 11, 10),
    )  # fmt: skip
    x, y = torch.randn(rows, 1, 28, 28), torch.arange(rows) % 10
    return trained(torch, model, lambda: nn.functional.cross_entropy(model(x), y))


def text(torch: Any, rows: int) -> Step:
    nn = torch.nn

    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            layer = nn.TransformerEncoderLayer(96, 4, 192, batch_first=True)
            self.embed, self.body = nn.Embedding(50, 96), nn.TransformerEncoder(layer, 3)
            self.head = nn.Linear(96, 50)

        def forward(self, tokens: Any) -> Any:
            return self.head(self.body(self.embed(tokens)))

    model = Model()
    tokens = torch.randint(0, 50, (rows, 33))

    def loss_of() -> Any:
        scores = model(tokens[:, :-1]).reshape(-1, 50)
        return nn.functional.cross_entropy(scores, tokens[:, 1:].reshape(-1))

    return trained(torch, model, loss_of)


RUNS: dict[str, tuple[Callable[[Any], Step], int]] = {
    "tiny perceptron": (lambda torch: perceptron(torch, 16, 2, 32), 1500),
    "perceptron": (lambda torch: perceptron(torch, 512, 6, 128), 100),
    "images": (lambda torch: images(torch, 64), 100),
    "transformer": (lambda torch: text(torch, 16), 100),
}


def seconds(torch: Any, make: Callable[[Any], Step], steps: int, watched: bool) -> float:
    """Processor time of one run."""
    torch.manual_seed(0)
    with torch.doctor.watch() if watched else nullcontext():
        step = make(torch)
        begin = time.process_time()
        for _ in range(steps):
            step()
        return time.process_time() - begin


def main() -> int:
    """Print the table; 0 if every run stays within its limit."""
    import chainrule as torch

    missed = False
    for name, (make, steps) in RUNS.items():
        if len(sys.argv) > 1 and name not in sys.argv[1:]:
            continue
        alone, beside = [], []
        for _ in range(TURNS):
            alone.append(seconds(torch, make, steps, watched=False))
            beside.append(seconds(torch, make, steps, watched=True))
        ratio, each = min(beside) / min(alone), min(alone) / steps
        most = MOST_LARGE if each >= LARGE else MOST_SMALL
        missed |= ratio > most
        print(f"{name:16} {steps:5} steps of {1e3 * each:7.3f} ms: {ratio:.2f}x (at most {most}x)")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
