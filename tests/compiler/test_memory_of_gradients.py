"""Compiled training steps hold one set of gradients: while traced, and when plans take over."""

import gc
import tracemalloc

import numpy as np

import chainrule as torch

SIDE = 512
BYTES = 4 * SIDE * SIDE


def step_of(model, optimizer, x):
    def step():
        optimizer.zero_grad()
        loss = model(x).square().mean()
        loss.backward()
        optimizer.step()
        return loss

    return step


def network():
    torch.manual_seed(0)
    model = torch.nn.Sequential(*[torch.nn.Linear(SIDE, SIDE, bias=False) for _ in range(6)])
    return model, torch.optim.SGD(model.parameters(), lr=1e-3)


def test_dropped_gradients_are_freed_while_a_step_is_traced_and_run():
    warm, its_optimizer = network()  # what is imported and compiled once is no gradient
    first = torch.compile(step_of(warm, its_optimizer, torch.ones(2, SIDE)))
    for _ in range(4):
        first()
    model, optimizer = network()
    step = torch.compile(step_of(model, optimizer, torch.ones(2, SIDE)))
    step()
    gc.collect()
    tracemalloc.start()
    peaks = []
    try:
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(4):
            tracemalloc.reset_peak()
            step()
            peaks.append((tracemalloc.get_traced_memory()[1] - before) / BYTES)
    finally:
        tracemalloc.stop()
    # Six new gradients, less some that were dropped before; not six beside six old ones.
    assert max(peaks) < 8.5, peaks


def test_a_gradient_that_somebody_holds_is_not_overwritten():
    model, optimizer = network()
    step = torch.compile(step_of(model, optimizer, torch.ones(2, SIDE)))
    weight = model[0].weight
    for _ in range(5):
        step()
        held, values = weight.grad, weight.grad.clone()
        array = model[1].weight.grad.numpy()
        copied = array.copy()
        step()
        assert torch.equal(held, values)
        assert np.array_equal(array, copied)
        del held, array


def test_a_gradient_that_the_step_reads_first_keeps_its_value():
    weight = torch.ones(4, requires_grad=True)

    def step(x):
        old = torch.zeros(4) if weight.grad is None else weight.grad * 2
        weight.grad = None
        (weight * x + old).sum().backward()
        return old.clone()

    compiled = torch.compile(step)
    weight.grad = torch.ones(4)
    seen = []
    for k in range(6):
        seen.append(compiled(torch.full((4,), float(k))).tolist())
    expected = [[2.0] * 4] + [[2.0 * k] * 4 for k in range(5)]
    assert seen == expected
