"""The tour: a graph, a gradient explained, a model trained, compiled and measured, and an error.

It is written as a user would write it, and the lines it shows are its own.
"""

from __future__ import annotations

import math
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import chainrule as torch

from .reading.terminal import colours, show

EPOCHS = 40
NEXT = """\
  torch.explain(loss, wrt=x)                    why this gradient is what it is
  torch.graph(loss).to_html("graph.html")       the graph, to pan, zoom and unfold
  torch.sensitivity(f, at={"price": 10})        what drives a figure of your own function
  torch.gradient_flow(model, optimizer)         vanishing, exploding, dead, saturated
  torch.memory.track(model)                     what keeps memory, by op, line and module
  torch.profiler.profile()                      where the time goes, by line and module
  torch.autograd.detect_anomaly(forward=True)   where NaN comes from
  torch.compile(step)                           a whole training step as machine code
  chainrule run train.py                        your PyTorch script, unmodified
  docs/understanding.md                         from a symptom to the command that explains it"""


def heading(text: str) -> None:
    """A line of text, underlined."""
    line = f"\n{text}\n{'-' * len(text)}"
    print(f"\033[1m{line}\033[0m" if colours() else line)


def tour() -> None:
    """All stops, in the order in which one learns them."""
    a_graph()
    a_gradient_explained()
    the_biggest_multiplier()
    three_ways()
    model, points, labels = training()
    compiling(points, labels)
    memory()
    saving(model, points, labels)
    an_error()
    heading("10. What to try next")
    print(NEXT)


def a_graph() -> None:
    """A small network, its loss, the graph that was recorded, and what backward made of it."""
    heading("1. A network, its graph and its gradients")
    x = torch.tensor([1.0, 0.5])
    w = torch.tensor([[0.3, 0.7], [-0.2, 0.5]], requires_grad=True)
    b = torch.tensor([0.1, 0.0], requires_grad=True)
    v = torch.tensor([0.6, -0.4], requires_grad=True)
    c = torch.tensor(0.1, requires_grad=True)
    hidden = (w @ x + b).relu()
    prediction = (v @ hidden + c).sigmoid()
    loss = -prediction.log()
    print(f"prediction {prediction.item():.4f}, loss {loss.item():.4f}; the graph, output first:\n")
    torch.graph(loss).show()
    loss.backward()
    print("\none backward pass gives the gradient of every parameter:")
    for name, p in (("w", w), ("b", b), ("v", v), ("c", c)):
        print(f"d loss / d {name} = {_flat(p.grad)}")


def a_gradient_explained() -> None:
    """The chain from a result back to its cause, link by link, with the lines it was made on."""
    heading("2. One gradient, explained link by link")
    supply = torch.tensor(5.0, dtype=torch.float64, requires_grad=True)
    chips = 1000 - 50 * supply
    phones = 0.1 * chips
    revenue = 800 * phones - 0.01 * phones**2
    explanation = torch.explain(revenue, wrt=supply)
    show([*explanation.blocks()[:2], explanation.blocks()[-1]])


def the_biggest_multiplier() -> None:
    """A cascade of which only the observed changes are known."""
    heading("3. How did a 10-cent rise in material price cost $50,000?")
    show(
        torch.sensitivity.from_changes(
            [("material", +0.10), ("cost", +1), ("price", +5), ("volume", -1000),
             ("revenue", -50000)]
        ).blocks()[:1]
    )  # fmt: skip


def three_ways() -> None:
    """A derivative by differences, as a formula, and by the tape; and derivatives of it."""
    from chainrule.func import grad, hessian, jvp, vmap

    heading("4. Gradients three ways, and gradients of gradients")

    def f(t: Any) -> Any:
        return (t * t).sin()

    both = torch.compare_derivatives(f, 1.5)
    print(str(both).split("\n\n", 1)[0])
    t = torch.tensor(1.5)
    first, second = grad(f)(t).item(), grad(grad(f))(t).item()
    print(f"f(t) = sin(t^2) at t = 1.5: f' = {first:.5f}, f'' = {second:.5f}")
    print(f"forward mode gives the same: {jvp(f, (t,), (torch.tensor(1.0),))[1].item():.5f}")
    print(f"for a batch at once: {_flat(vmap(grad(f))(torch.tensor([0.5, 1.0, 1.5])))}")
    curvature = hessian(lambda p: p[0] ** 2 * p[1])(torch.tensor([2.0, 3.0]))
    print(f"hessian of x^2 y at (2, 3): {_flat(curvature)}")


def training() -> tuple[Any, Any, Any]:
    """A classifier of two spirals: its loss, and how gradients flowed while it learned."""
    from chainrule import nn, optim
    from chainrule.utils.data import DataLoader, TensorDataset

    heading("5. A model learns to tell two spirals apart, and its gradient flow")
    torch.manual_seed(0)
    points, labels = _spirals(400)
    loader = DataLoader(TensorDataset(points, labels), batch_size=50, shuffle=True)
    model = _classifier()
    optimizer = optim.AdamW(model.parameters(), lr=0.02)
    schedule = optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=EPOCHS)
    print(model)
    started, losses = time.perf_counter(), []
    with torch.gradient_flow.watch(model, optimizer, every=80) as flow:
        for _ in progress(range(EPOCHS), lambda: f"loss {losses[-1]:.4f}"):
            total = 0.0
            for x, y in loader:
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(x), y)
                loss.backward()
                optimizer.step()
                total += loss.item() * len(x)
            schedule.step()
            losses.append(total / len(points))
    steps = EPOCHS * len(loader)
    print(f"{steps} steps in {time.perf_counter() - started:.1f} s, "
          f"{_accuracy(model, points, labels):.1%} of the points are right\n")  # fmt: skip
    print(curve(losses))
    print()
    flow.show()
    return model, points, labels


def compiling(points: Any, labels: Any) -> None:
    """The whole training step, eager and as one plan of machine code."""
    from chainrule import nn, optim

    heading("6. The training step, compiled")
    model = _classifier()
    optimizer = optim.AdamW(model.parameters(), lr=0.01)
    x, y = points[:50], labels[:50]

    def step(x: Any, y: Any) -> Any:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        return loss

    compiled = torch.compile(step)
    began = time.perf_counter()
    for _ in range(4):  # run, trace, trace again and compare, compile
        compiled(x, y)
    ready = time.perf_counter() - began
    eager, fast = _best_time(lambda: step(x, y)), _best_time(lambda: compiled(x, y))
    print(
        f"forward, backward and AdamW of {len(x)} points: eager {eager * 1e6:.0f} µs, compiled "
        f"{fast * 1e6:.0f} µs: {eager / fast:.1f} times as fast ({ready:.1f} s to compile)"
    )


def memory() -> None:
    """What a transformer keeps for backward, and what is left of it with checkpoints."""
    from chainrule import nn
    from chainrule.utils.checkpoint import checkpoint

    heading("7. Memory, before and after checkpointing")
    blocks = nn.ModuleList(
        nn.TransformerEncoderLayer(64, 4, 256, dropout=0.0, batch_first=True) for _ in range(6)
    )
    x = torch.randn(4, 128, 64)
    kept = {}
    ways = {"plain": lambda b, h: b(h), "checkpointed": partial(checkpoint, use_reentrant=False)}
    for name, run in ways.items():
        with torch.memory.track(blocks) as tracked:
            h = x
            for block in blocks:
                h = run(block, h)
            h.square().mean().backward()
        kept[name] = tracked.saved_peak
        blocks.zero_grad()
        print(f"{name:>12}: {_megabytes(tracked.saved_peak)} kept for backward, "
              f"{_megabytes(tracked.peak)} in all at the peak")  # fmt: skip
    share = 1 - kept["checkpointed"] / kept["plain"]
    print(f"six blocks computed again in backward keep {share:.0%} less")


def saving(model: Any, points: Any, labels: Any) -> None:
    """The weights go to a file that PyTorch reads too, and come back into a new model."""
    heading("8. Saved and loaded")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "spirals.pt"
        torch.save(model.state_dict(), path)
        print(f"{path.name}: {path.stat().st_size:,} bytes, in PyTorch's format")
        again = _classifier()
        print(f"a new model before loading: {_accuracy(again, points, labels):.1%} right")
        print(f"load_state_dict: {again.load_state_dict(torch.load(path))}")
        print(f"after loading: {_accuracy(again, points, labels):.1%} right")


def an_error() -> None:
    """What a mistake looks like."""
    heading("9. An error says what happened, where, and what to do")
    w = torch.tensor([0.3, 0.7], requires_grad=True)
    try:
        y = w.exp()
        y.add_(1)
        y.sum().backward()
    except RuntimeError as problem:
        print(problem)


# ---- showing -------------------------------------------------------------------------------------


def progress(turns: Sequence[int], status: Any, width: int = 30) -> Iterator[int]:
    """The turns, with a bar that moves in a terminal, and a line now and then elsewhere."""
    live = sys.stdout.isatty()
    for done, turn in enumerate(turns, start=1):
        yield turn
        filled = width * done // len(turns)
        line = f"[{'#' * filled}{'.' * (width - filled)}] {done:>2}/{len(turns)}  {status()}"
        if live:
            print(f"\r{line}", end="\n" if done == len(turns) else "", flush=True)
        elif done in (1, len(turns)) or done % (len(turns) // 4) == 0:
            print(line)


def curve(values: Sequence[float], height: int = 8) -> str:
    """A plot of positive numbers in text: the axis is logarithmic."""
    logs = [math.log10(v) for v in values]
    low, high = min(logs), max(logs)
    level = (high - low) / (height - 1) or 1.0
    rows = [round((v - low) / level) for v in logs]
    lines = []
    for row in reversed(range(height)):
        marks = "".join("*" if r == row else " " for r in rows).rstrip()
        text = f"{10 ** (low + row * level):8.4f} |{marks}"
        lines.append(f"\033[36m{text}\033[0m" if colours() else text)
    return "\n".join([*lines, f"{'':8} +{'-' * len(values)}"])


def _spirals(count: int) -> tuple[Any, Any]:
    labels = torch.arange(count) % 2
    turn = torch.rand(count).sqrt() * 2.5 * math.pi
    angle = turn + math.pi * labels
    points = torch.stack((angle.cos(), angle.sin()), 1) * turn.unsqueeze(1) / (2.5 * math.pi)
    return points + 0.01 * torch.randn(count, 2), labels


def _accuracy(model: Any, points: Any, labels: Any) -> float:
    with torch.inference_mode():
        return (model(points).argmax(1) == labels).float().mean().item()


def _classifier() -> Any:
    from chainrule import nn

    return nn.Sequential(
        nn.Linear(2, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 2)
    )


def _best_time(run: Callable[[], object], turns: int = 200) -> float:
    best = math.inf
    for _ in range(turns):
        began = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - began)
    return best


def _megabytes(count: int) -> str:
    return f"{count / 2**20:.1f} MB"


def _flat(t: Any) -> str:
    return str([round(float(n), 4) for n in t.reshape(-1).tolist()])
