"""What checkpointing saves and costs, in measured bytes and counted forward calls."""

import gc
import tracemalloc
import weakref

import pytest

import chainrule as torch
from chainrule.utils.checkpoint import checkpoint
from chainrule.utils.checkpoint_measure import ActivationMeter

from .models import Block, Transformer, agree, gradients, tokens


def step_of(per_block: bool):
    """Measured bytes and block calls of one training step of twelve layers."""
    torch.manual_seed(0)
    model, words = Transformer(layers=12, per_block=per_block), tokens()
    Block.calls = 0
    with ActivationMeter([*model.parameters(), words]) as meter:
        loss = model(words).square().mean()
    loss.backward()
    meter.close()
    return meter, Block.calls, [p.grad for p in model.parameters()]


def test_per_block_saves_four_fifths_for_one_more_forward_pass():
    plain, plain_calls, expected = step_of(False)
    saving, calls, found = step_of(True)
    assert saving.held <= 0.1 * plain.held  # between forward and backward
    assert saving.peak <= 0.2 * plain.peak  # at any time, recomputed values included
    assert plain_calls == 12
    assert calls <= 12 + 1.1 * 12
    assert agree(found, expected)


def held_by_allocator(per_block: bool) -> int:
    torch.manual_seed(0)
    model, words = Transformer(layers=12, per_block=per_block, width=64), tokens(4, 48)
    gradients(model, words)  # everything that is made once exists now
    gc.collect()
    tracemalloc.start()
    try:
        loss = model(words).square().mean()
        held = tracemalloc.get_traced_memory()[0]
        loss.backward()
    finally:
        tracemalloc.stop()
    return held


def test_the_allocator_agrees():
    assert held_by_allocator(True) <= 0.2 * held_by_allocator(False)


def test_memory_is_freed_without_the_garbage_collector():
    gc.collect()
    gc.disable()
    try:
        x = torch.ones(100, requires_grad=True)
        seen = []

        def function(t):
            y = t.exp()
            seen.append(weakref.ref(y._a))
            return y.sin()

        y = checkpoint(function, x, use_reentrant=False)
        assert seen[0]() is None  # not kept by the forward pass
        y.sum().backward()
        assert len(seen) == 2
        assert seen[1]() is None  # nor after backward
        frame = weakref.ref(y.grad_fn)
        del y
        assert frame() is None
    finally:
        gc.enable()


def test_a_saved_value_overwritten_inside_is_an_error_not_a_wrong_gradient():
    def function(t):
        y = t.sigmoid()  # its rule needs y
        y.mul_(2)
        return y.exp()

    x = torch.ones(3, requires_grad=True)
    y = checkpoint(function, x, use_reentrant=False)
    with pytest.raises(RuntimeError, match="modified by an inplace operation") as problem:
        y.sum().backward()
    assert "mul_" in str(problem.value)


def test_a_user_cannot_catch_the_early_stop():
    def function(t):
        try:
            return t.exp().sin() + 1
        except Exception:
            return t

    x = torch.ones(3, requires_grad=True)
    checkpoint(function, x, use_reentrant=False).sum().backward()
    assert torch.allclose(x.grad, (x.exp().cos() * x.exp()).detach())


def test_saved_tensors_may_be_asked_for_twice():
    """PyTorch refuses this; here it costs one more recomputation."""

    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, t):
            ctx.save_for_backward(t)
            return t * t

        @staticmethod
        def backward(ctx, g):
            return g * ctx.saved_tensors[0] + g * ctx.saved_tensors[0]

    x = torch.tensor(3.0, requires_grad=True)
    checkpoint(lambda t: Square.apply(t * 2), x, use_reentrant=False).backward()
    assert x.grad.item() == 24
