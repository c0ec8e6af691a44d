"""Draw the pictures of the README and the pages, each by the library itself.

python tools/draw_images.py            writes docs/images/*.svg
python tools/draw_images.py graph      only those named
"""

from __future__ import annotations

import importlib.util
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
sys.path.insert(0, str(ROOT / "src"))

import chainrule as torch  # noqa: E402
from chainrule import nn  # noqa: E402
from chainrule.reading.svg import bar_chart, line_chart  # noqa: E402
from chainrule.utils.checkpoint import checkpoint  # noqa: E402

CASCADE = [
    ("material", +0.10), ("cost", +1), ("price", +5), ("volume", -1000), ("revenue", -50000),
]  # fmt: skip


def graph() -> str:
    """The 2-2-1 network of the tour."""
    x = torch.tensor([1.0, 0.5])
    w = torch.tensor([[0.3, 0.7], [-0.2, 0.5]], requires_grad=True)
    b = torch.tensor([0.1, 0.0], requires_grad=True)
    v = torch.tensor([0.6, -0.4], requires_grad=True)
    c = torch.tensor(0.1, requires_grad=True)
    hidden = (w @ x + b).relu()
    prediction = (v @ hidden + c).sigmoid()
    loss = -prediction.log()
    return torch.graph(loss).to_svg()


def explain() -> str:
    """From chips to revenue, and what one more unit of supply costs."""
    supply = torch.tensor(5.0, dtype=torch.float64, requires_grad=True)
    chips = 1000 - 50 * supply
    phones = 0.1 * chips
    revenue = 800 * phones - 0.01 * phones**2
    return torch.explain(revenue, wrt=supply).to_svg()


def cascade() -> str:
    """How a 10-cent rise in material price cost $50,000."""
    return torch.sensitivity.from_changes(CASCADE).to_svg()


def derivatives() -> str:
    """The error of differences against their step, beside what automatic derivatives have."""
    curve = torch.compare_derivatives(lambda t: (t * t).sin(), 1.5).curve
    steps = [-float(k) for k in range(1, len(curve) + 1)]
    lines = [
        ("forward differences", steps, [at.forward for at in curve]),
        ("central differences", steps, [at.central for at in curve]),
        ("automatic: rounding", steps, [2.0**-52] * len(steps)),
    ]
    return line_chart(lines, title="relative error of sin(t²)' at 1.5", x_label="log10 of the step",
                      log_y=True)  # fmt: skip


def gradient_flow() -> str:
    """Twelve layers with sigmoids."""
    return _example().flow_of(nn.Sigmoid, 12).to_svg()


def gradient_flow_depth() -> str:
    """Twelve layers with sigmoids, and with ReLU."""
    example = _example()
    lines = [
        (name, [float(k + 1) for k in range(13)], [x.gradient or 0.0 for x in flow.layers])
        for name, flow in (
            ("sigmoid", example.flow_of(nn.Sigmoid, 12)),
            ("ReLU", example.flow_of(nn.ReLU, 12)),
        )
    ]
    return line_chart(lines, title="norm of the gradient by layer", x_label="layer", log_y=True)


def compiled() -> str:
    """A training step of a small network, eager and compiled, on the machine that draws it."""
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Linear(2, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 2)
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    x, y = torch.randn(50, 2), torch.randint(0, 2, (50,))

    def step() -> None:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()

    rows = [("eager", _microseconds(step)), ("compiled", _microseconds(torch.compile(step)))]
    title = f"forward, backward and AdamW, 2-64-64-2, batch 50: x {rows[0][1] / rows[1][1]:.1f}"
    return bar_chart(rows, title=title, unit=" µs", width=360)


def memory() -> str:
    """What six transformer blocks keep for backward, plain and checkpointed."""
    torch.manual_seed(0)
    blocks = nn.ModuleList(
        nn.TransformerEncoderLayer(64, 4, 256, dropout=0.0, batch_first=True) for _ in range(6)
    )
    x = torch.randn(4, 128, 64)
    lines = []
    ways = {"plain": lambda b, h: b(h), "checkpointed": partial(checkpoint, use_reentrant=False)}
    for name, run in ways.items():
        with torch.memory.track(blocks) as tracked:
            h = x
            for block in blocks:
                h = run(block, h)
            h.square().mean().backward()
        kept = [moment.saved / 2**20 for moment in tracked.timeline]
        share = [100.0 * k / (len(kept) - 1) for k in range(len(kept))]
        lines.append((name, share, kept))
    return line_chart(lines, title="kept for backward by six transformer blocks",
                      x_label="% of the training step's operations", y_label="MiB")  # fmt: skip


def _convolutional_step() -> tuple[Any, Callable[[], object]]:
    """A small convolutional network, and one step of its training."""
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(32 * 256, 10),
    )  # fmt: skip
    optimizer = torch.optim.AdamW(model.parameters())
    x, y = torch.randn(16, 3, 32, 32), torch.randint(10, (16,))

    def step() -> None:
        optimizer.zero_grad()
        with torch.profiler.record_function("forward"):
            loss = nn.functional.cross_entropy(model(x), y)
        with torch.profiler.record_function("backward"):
            loss.backward()
        optimizer.step()

    for _ in range(3):
        step()
    return model, step


def flame() -> str:
    """Where the time of a training step goes."""
    _, step = _convolutional_step()
    reports = []
    for _ in range(20):  # the one that was disturbed least
        with torch.profiler.profile() as prof:
            step()
        reports.append(prof.report())
    return min(reports, key=lambda r: r.events[-1].time_range.end).to_svg()


def timeline() -> str:
    """The memory of a training step."""
    model, step = _convolutional_step()
    with torch.memory.track(model) as tracked:
        step()
    return tracked.to_svg()


PICTURES: dict[str, Callable[[], str]] = {
    f.__name__: f
    for f in (graph, explain, cascade, derivatives, gradient_flow, gradient_flow_depth, compiled,
              memory, flame, timeline)
}  # fmt: skip
# Those that show exact numbers; the others were measured, or round as their machine does.
EXACT = ("graph", "explain", "cascade")


def _example() -> Any:
    path = ROOT / "examples" / "gradient_flow_depth.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _microseconds(run: Callable[[], object]) -> float:
    best = float("inf")
    for _ in range(300):
        began = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - began)
    return best * 1e6


def main(names: list[str]) -> None:
    IMAGES.mkdir(exist_ok=True)
    for name in names or PICTURES:
        (IMAGES / f"{name}.svg").write_text(PICTURES[name]() + "\n", encoding="utf-8")
        print(f"wrote docs/images/{name}.svg")


if __name__ == "__main__":
    main(sys.argv[1:])
