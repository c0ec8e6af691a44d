"""Small programs written as Python loops or transforms: cells, chains of labels, alignments,
gradients per example. They are bound by what an op costs beside its arithmetic."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..case import Case, Goal, Repeated, Style, Workload, as_arrays, digest, eager_goal, sample

STEPS, BATCH, WIDTH, LABELS = 20, 16, 32, 6


def weights(torch: Any, *shapes: tuple[int, ...]) -> list[Any]:
    """Leaves that require gradients, the same numbers for every engine."""
    return [
        torch.tensor(sample(80 + k, *shape, scale=0.3), requires_grad=True)
        for k, shape in enumerate(shapes)
    ]


def integers(seed: int, top: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, top, shape)


def with_gradients(torch: Any, loss: Callable[[], Any], leaves: list[Any]) -> Callable[[], Any]:
    """A step: the loss and its gradients by `autograd.grad`."""

    def step() -> tuple[Any, ...]:
        value = loss()
        return (value.detach(), *torch.autograd.grad(value, leaves))

    return step


def gru_cells(torch: Any) -> Callable[[], Any]:
    shapes = (3 * WIDTH, BATCH), (3 * WIDTH, WIDTH), (3 * WIDTH,), (3 * WIDTH,)
    leaves = weights(torch, *shapes)
    x = torch.tensor(sample(1, STEPS, BATCH, BATCH))

    def loss() -> Any:
        h = torch.zeros(BATCH, WIDTH)
        for t in range(STEPS):
            h = torch.gru_cell(x[t], h, *leaves)
        return h.square().mean()

    return with_gradients(torch, loss, leaves)


def label_chains(torch: Any) -> Callable[[], Any]:
    """The loss of a conditional random field: logsumexp over steps, scores of labels by index."""
    change, scores = weights(torch, (LABELS, LABELS), (STEPS, BATCH, LABELS))
    labels = torch.tensor(integers(2, LABELS, STEPS, BATCH))
    rows = torch.arange(BATCH)

    def loss() -> Any:
        total, score = scores[0], scores[0, rows, labels[0]]
        for t in range(1, STEPS):
            total = torch.logsumexp(total.unsqueeze(2) + change, 1) + scores[t]
            score = score + change[labels[t - 1], labels[t]] + scores[t, rows, labels[t]]
        return (torch.logsumexp(total, 1) - score).mean()

    return with_gradients(torch, loss, [change, scores])


def best_labels(torch: Any) -> Callable[[], Any]:
    """Viterbi's algorithm: the best way through the same chains."""
    change, scores = (t.detach() for t in weights(torch, (LABELS, LABELS), (STEPS, BATCH, LABELS)))

    def step() -> tuple[Any]:
        best, came_from = scores[0], []
        for t in range(1, STEPS):
            best, places = (best.unsqueeze(2) + change).max(1)
            best = best + scores[t]
            came_from.append(places)
        label = best.argmax(1)
        path = [label]
        for places in reversed(came_from):
            label = places.gather(1, label.unsqueeze(1)).squeeze(1)
            path.append(label)
        return (torch.stack(path).float(),)

    return step


def alignments(torch: Any) -> Callable[[], Any]:
    """Connectionist temporal classification of 60 frames, 28 classes, up to 15 labels."""
    functional = torch.nn.functional
    (scores,) = weights(torch, (60, BATCH, 28))
    labels = torch.tensor(integers(3, 27, BATCH, 15) + 1)
    frames = torch.full((BATCH,), 60)
    lengths = torch.tensor(integers(4, 8, BATCH) + 8)

    def loss() -> Any:
        return functional.ctc_loss(scores.log_softmax(-1), labels, frames, lengths)

    return with_gradients(torch, loss, [scores])


def gradients_per_example(torch: Any) -> Callable[[], Any]:
    """`vmap` of `grad` of a small classifier's loss."""
    functional = torch.nn.functional
    parameters = tuple(t.detach() for t in weights(torch, (64, 20), (64,), (5, 64), (5,)))
    x, y = torch.tensor(sample(5, 64, 20)), torch.tensor(integers(6, 5, 64))

    def loss(parameters: Any, x: Any, y: Any) -> Any:
        w1, b1, w2, b2 = parameters
        hidden = functional.relu(functional.linear(x.unsqueeze(0), w1, b1))
        return functional.cross_entropy(functional.linear(hidden, w2, b2), y.unsqueeze(0))

    each = torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0, 0))
    return lambda: each(parameters, x, y)


PROGRAMS: dict[str, Callable[[Any], Callable[[], Any]]] = {
    "gru cells/T20/b16": gru_cells,
    "label chains/T20/b16": label_chains,
    "best labels/T20/b16": best_labels,
    "alignments/T60/b16": alignments,
    "gradients per example/b64": gradients_per_example,
}


def case(torch: Any, style: Style, make: Callable[[Any], Callable[[], Any]]) -> Case:
    run = style.wrap(make(torch))
    return Repeated(run, lambda: digest(as_arrays(list(run()))))


def workloads() -> Iterator[Workload]:
    for name, make in PROGRAMS.items():
        yield Workload(
            f"loops/{name}",
            "loops",
            lambda torch, style, make=make: case(torch, style, make),
            "loops",
            goals=(Goal(1.0), eager_goal(1.0)),
            tolerance=1e-3,
        )
