"""The state of an optimizer can come from a file: one that does not fit is refused by name."""

import warnings

import numpy as np
import pytest

import chainrule as torch

HOSTILE = {
    "of the transposed shape": lambda p: torch.zeros(tuple(reversed(p.shape))),
    "too short": lambda p: torch.zeros(1),
    "empty": lambda p: torch.zeros(0),
    "too long": lambda p: torch.zeros(1000),
    "text": lambda p: "x",
    "a number": lambda p: 2**70,
    "without memory": lambda p: torch.zeros(p.shape, device="meta"),
}


@pytest.mark.parametrize("what", HOSTILE)
@pytest.mark.parametrize(
    ("kind", "name", "options"),
    [
        (torch.optim.SGD, "momentum_buffer", {"momentum": 0.9}),
        (torch.optim.Adam, "exp_avg_sq", {}),
        (torch.optim.RMSprop, "square_avg", {}),
    ],
)
def test_foreign_state_is_refused(kind, name, options, what):
    weight = torch.nn.Parameter(torch.ones(3, 5))
    optimizer = kind([weight], lr=0.1, **options)
    weight.grad = torch.ones(3, 5)
    optimizer.step()
    saved = optimizer.state_dict()
    saved["state"][0][name] = HOSTILE[what](weight)
    optimizer.load_state_dict(saved)
    before = weight.detach().clone()
    with pytest.raises(RuntimeError, match=rf"{kind.__name__}'s state '{name}'"):
        optimizer.step()
    assert torch.equal(weight, before)


OPTIMIZERS = [
    kind
    for kind in vars(torch.optim).values()
    if isinstance(kind, type)
    and issubclass(kind, torch.optim.Optimizer)
    and kind is not torch.optim.Optimizer
]


def locked(p: torch.Tensor) -> None:
    array = np.ones(tuple(p.shape), np.float32)
    array.flags.writeable = False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        p.data = torch.from_numpy(array)


def repeated(p: torch.Tensor) -> None:
    p.data = torch.ones(1).expand(p.shape)


def held(optimizer: torch.optim.Optimizer, weights: list[torch.nn.Parameter]) -> str:
    """All that a step changes, as text."""
    state = [sorted(optimizer.state.get(w, {}).items()) for w in weights]
    return str([w.tolist() for w in weights]) + str(state)


@pytest.mark.parametrize("spoil", [locked, repeated])
@pytest.mark.parametrize("steps", [0, 2])
@pytest.mark.parametrize("kind", OPTIMIZERS, ids=lambda kind: kind.__name__)
def test_a_step_that_is_refused_has_changed_nothing(kind, steps, spoil):
    weights = [torch.nn.Parameter(torch.full((3, 3), 0.5 + i)) for i in range(3)]
    optimizer = kind(weights)

    def closure() -> torch.Tensor:
        total = sum(((w * w).sum() for w in weights), torch.zeros(()))
        for w in weights:
            w.grad = torch.ones(3, 3)
            if kind is torch.optim.SparseAdam:
                w.grad = w.grad.to_sparse()
        return total

    for _ in range(steps):
        optimizer.step(closure)
    spoil(weights[1])
    before = held(optimizer, weights)
    with pytest.raises(RuntimeError, match=r"read-only|single memory location"):
        optimizer.step(closure)
    assert held(optimizer, weights) == before


@pytest.mark.parametrize("kind", [torch.optim.Adam, torch.optim.RMSprop, torch.optim.Adafactor])
def test_a_sparse_gradient_among_others_is_refused_before_the_step(kind):
    weights = [torch.nn.Parameter(torch.ones(3, 3)) for _ in range(3)]
    optimizer = kind(weights)
    for w in weights:
        w.grad = torch.ones(3, 3)
    weights[1].grad = torch.ones(3, 3).to_sparse()
    before = held(optimizer, weights)
    with pytest.raises(RuntimeError, match="does not support sparse gradients"):
        optimizer.step()
    assert held(optimizer, weights) == before
