"""The tour: a graph and its gradients, a model that is trained, saved and loaded, and an error.

It is written as a user would write it, and the lines it shows are its own.
"""

from __future__ import annotations

import math
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import chainrule as torch

from .cli import coloured, heading, print_table

EPOCHS = 40


def tour() -> None:
    """All stops, in the order in which one learns them."""
    recording_and_backward()
    transforms()
    model, points, labels = training()
    saving(model, points, labels)
    an_error()


def recording_and_backward() -> None:
    """A small network, its loss, the tape that was recorded, and what backward made of it."""
    heading("1. A network and its loss")
    x = torch.tensor([1.0, 0.5])
    w = torch.tensor([[0.3, 0.7], [-0.2, 0.5]], requires_grad=True)
    b = torch.tensor([0.1, 0.0], requires_grad=True)
    v = torch.tensor([0.6, -0.4], requires_grad=True)
    c = torch.tensor(0.1, requires_grad=True)
    hidden = (w @ x + b).relu()
    prediction = (v @ hidden + c).sigmoid()
    loss = -prediction.log()
    print(f"prediction {prediction.item():.4f}, loss {loss.item():.4f}")

    heading("2. The tape, latest first")
    nodes = torch.autograd.graph.walk(loss)
    print_table(("node", "recorded at", "saved", "leads to"), [_row(n) for n in nodes])

    heading("3. Backward: one pass, a gradient for every parameter")
    loss.backward()
    for name, p in (("w", w), ("b", b), ("v", v), ("c", c)):
        print(f"d loss / d {name} = {_flat(p.grad)}")


def transforms() -> None:
    """Derivatives as functions of functions."""
    from chainrule.func import grad, hessian, jvp, vmap

    heading("4. Derivatives of derivatives, forward mode, batches")

    def f(t: Any) -> Any:
        return (t * t).sin()

    t = torch.tensor(1.5)
    first, second = grad(f)(t).item(), grad(grad(f))(t).item()
    print(f"f(t) = sin(t^2) at t = 1.5: f' = {first:.5f}, f'' = {second:.5f}")
    print(f"forward mode gives the same: {jvp(f, (t,), (torch.tensor(1.0),))[1].item():.5f}")
    print(f"for a batch at once: {_flat(vmap(grad(f))(torch.tensor([0.5, 1.0, 1.5])))}")
    curvature = hessian(lambda p: p[0] ** 2 * p[1])(torch.tensor([2.0, 3.0]))
    print(f"hessian of x^2 y at (2, 3): {_flat(curvature)}")


def training() -> tuple[Any, Any, Any]:
    """A classifier of two spirals: data, model, optimizer, schedule, and the curve of its loss."""
    from chainrule import nn, optim
    from chainrule.utils.data import DataLoader, TensorDataset

    heading("5. A model learns to tell two spirals apart")
    torch.manual_seed(0)
    points, labels = _spirals(400)
    loader = DataLoader(TensorDataset(points, labels), batch_size=50, shuffle=True)
    model = nn.Sequential(
        nn.Linear(2, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 2)
    )
    optimizer = optim.AdamW(model.parameters(), lr=0.02)
    schedule = optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=EPOCHS)
    print(model)
    started, losses = time.perf_counter(), []
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
          f"{_accuracy(model, points, labels):.1%} of the points are right")  # fmt: skip
    heading("6. The loss over the epochs")
    print(curve(losses))
    return model, points, labels


def saving(model: Any, points: Any, labels: Any) -> None:
    """The weights go to a file that PyTorch reads too, and come back into a new model."""
    from chainrule import nn

    heading("7. Saved and loaded")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "spirals.pt"
        torch.save(model.state_dict(), path)
        print(f"{path.name}: {path.stat().st_size:,} bytes, in PyTorch's format")
        again = nn.Sequential(
            nn.Linear(2, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 2)
        )
        print(f"a new model before loading: {_accuracy(again, points, labels):.1%} right")
        print(f"load_state_dict: {again.load_state_dict(torch.load(path))}")
        print(f"after loading: {_accuracy(again, points, labels):.1%} right")


def an_error() -> None:
    """What a mistake looks like."""
    heading("8. An error says what happened, where, and what to do")
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
        lines.append(f"\033[36m{text}\033[0m" if coloured() else text)
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


def _row(node: Any) -> tuple[str, str, str, str]:
    if node.name() == "AccumulateGrad":
        return node.name(), "", "", f"leaf {list(node.variable.shape)}"
    parents = ", ".join(p.name() for p, _ in node.next_functions if p is not None)
    saved = ", ".join(_saved(node)) or "nothing"
    return node.name(), node.where().split(" in ")[0], saved, parents


def _saved(node: Any) -> list[str]:
    from .autograd.record import saved_names, saved_payloads

    values = saved_payloads(node)
    return [
        f"{name} {list(values[name].shape)}"
        for name in saved_names(node.op)
        if hasattr(values[name], "shape")
    ]


def _flat(t: Any) -> str:
    return str([round(float(n), 4) for n in t.reshape(-1).tolist()])
