"""Random programs of views and in-place writes: their gradients equal difference quotients.

The forward pass needs no theory: views share memory, so a write through one shows in all. Whether
the recorded history says the same is what these programs find out.
"""

import numpy as np
import pytest

import chainrule as torch

PROGRAMS = 150
STEP = 1e-5


class Program:
    """One random sequence of steps, repeatable for any input."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.shape = [(6,), (2, 3), (3, 4), (2, 2, 3), (4, 1, 2)][seed % 5]
        self.start = np.random.RandomState(seed).uniform(0.5, 1.5, self.shape)

    def __call__(self, x):
        """The value of the program at x."""
        random = np.random.RandomState(self.seed + 10_000)
        alive = [x * 1.5]
        writable = [True]
        for _ in range(random.randint(3, 9)):
            k = random.randint(len(alive))
            if random.rand() < 0.5:
                made, can_write = a_view(random, alive[k])
                alive.append(made)
                writable.append(writable[k] and can_write)
            elif writable[k]:
                write(random, alive[k], alive[random.randint(len(alive))])
        loss = 0
        for t in alive:
            weights = torch.from_numpy(np.asarray(random.uniform(0.5, 1.5, tuple(t.shape))))
            loss = loss + (t.sin() * weights).sum()
        return loss


def a_view(random, t):
    """Some view of t, and whether its elements are all different places."""
    n = t.ndim
    views = [lambda: (t.unsqueeze(random.randint(n + 1)), True), lambda: (t.squeeze(), True)]
    if t.is_contiguous():
        views.append(lambda: (t.view(-1), True))
    if n:
        d = random.randint(n)
        size = t.shape[d]
        a, b = sorted(random.randint(0, size + 1, 2))
        views += [
            lambda: (t.select(d, random.randint(size)) if size else t, True),
            lambda: (t.narrow(d, a, b - a), True),
            lambda: (t[(slice(None),) * d + (slice(a, None, 2),)], True),
            lambda: (t.unfold(d, min(2, size), 1), size < 3),
            lambda: (t.permute(*random.permutation(n).tolist()), True),
            lambda: (t.unsqueeze(0).expand(2, *t.shape), False),
        ]
    if n >= 2:
        p, q = random.choice(n, 2, replace=False).tolist()
        views += [
            lambda: (t.transpose(p, q), True),
            lambda: (t.diagonal(random.randint(-1, 2), p, q), True),
            lambda: (t.mT, True),
        ]
    for step, length in zip(t.stride(), t.shape, strict=True):
        if length > 1 and t.numel():  # nothing that t itself does not show: that has no gradient
            views.append(lambda step=step: (t.as_strided((2,), (step,)), step > 0))
    return views[random.randint(len(views))]()


def write(random, t, other):
    """Some in-place write into t, of values that depend on another tensor."""
    factor = torch.from_numpy(np.asarray(random.uniform(0.5, 1.5, tuple(t.shape))))
    scale = other.mean().tanh() if other.numel() else torch.tensor(1.0)
    writes = [
        lambda: t.mul_(factor),
        lambda: t.add_(factor * scale),
        lambda: t.sin_(),
        lambda: t.mul_(t.clone().tanh()),
        lambda: t.copy_(factor * scale * scale),
        lambda: t.zero_(),
        lambda: t.fill_(scale * 1.0),
        lambda: t.cos_(),
        lambda: t.addcmul_(factor, factor, value=0.5),
        lambda: t.masked_fill_(factor > 1, 0.7),
    ]
    if t.ndim and t.shape[0]:
        writes += [
            lambda: t[0].mul_(scale),
            lambda: t.__setitem__(-1, t[0].clone() * 2),
            lambda: t.__setitem__(factor > 1, 0.25),
        ]
    writes[random.randint(len(writes))]()


def difference(program: Program, direction: np.ndarray) -> float:
    """The slope of the program along a direction, by values alone."""
    ends = []
    for sign in (1, -1):
        with torch.no_grad():
            ends.append(program(torch.from_numpy(program.start + sign * STEP * direction)).item())
    return (ends[0] - ends[1]) / (2 * STEP)


@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_gradient_of_a_random_view_program(seed: int):
    program = Program(seed)
    direction = np.random.RandomState(seed).standard_normal(program.shape)
    x = torch.from_numpy(program.start.copy()).requires_grad_()
    (grad,) = torch.autograd.grad(program(x), x, materialize_grads=True)
    found = float((grad.numpy() * direction).sum())
    assert found == pytest.approx(difference(program, direction), rel=1e-6, abs=1e-7)


@pytest.mark.parametrize("seed", range(0, PROGRAMS, 3))
def test_second_backward_of_a_random_view_program_agrees_with_the_first(seed: int):
    program = Program(seed)
    x = torch.from_numpy(program.start.copy()).requires_grad_()
    first = torch.autograd.grad(program(x), x, materialize_grads=True)[0]
    again = torch.autograd.grad(program(x), x, create_graph=True, materialize_grads=True)[0]
    np.testing.assert_allclose(again.detach().numpy(), first.numpy(), rtol=1e-12)


@pytest.mark.parametrize("seed", range(0, PROGRAMS, 3))
def test_forward_mode_and_func_grad_of_a_random_view_program(seed: int):
    program = Program(seed)
    direction = np.random.RandomState(seed).standard_normal(program.shape)
    start = torch.from_numpy(program.start.copy())
    _, pushed = torch.func.jvp(program, (start,), (torch.from_numpy(direction),))
    pulled = torch.func.grad(program)(start)
    wanted = difference(program, direction)
    assert pushed.item() == pytest.approx(wanted, rel=1e-6, abs=1e-7)
    found = float((pulled.numpy() * direction).sum())
    assert found == pytest.approx(wanted, rel=1e-6, abs=1e-7)
