"""Selective checkpointing runs the ops that were not kept, and no others."""

import inspect
from collections import Counter
from functools import partial

import pytest

import chainrule as torch
from chainrule.ops import TABLE
from chainrule.utils.checkpoint import (
    CheckpointPolicy,
    checkpoint,
    create_selective_checkpoint_contexts,
)

ATEN = torch.ops.aten


@pytest.fixture
def computed(monkeypatch):
    """How often each op of the table really computes."""
    counts = Counter()

    def counting(name, forward):
        def run(*args, **kwargs):
            counts[name] += 1
            return forward(*args, **kwargs)

        return run

    for name in ("mm", "linear2d", "matmul", "sin", "attention", "layer_norm", "exp", "draw_mask"):
        monkeypatch.setattr(TABLE[name], "forward", counting(name, TABLE[name].forward))
    return counts


def backward_counts(computed, function, *args, policy):
    """What the function computes again in backward; its gradients are checked."""
    plain = torch.autograd.grad(function(*args).sum(), args)
    again = []

    def watched(*args):
        computed.clear()
        result = function(*args)
        again.append(dict(computed))
        return result

    context_fn = partial(create_selective_checkpoint_contexts, policy)
    y = checkpoint(watched, *args, use_reentrant=False, context_fn=context_fn, early_stop=False)
    found = torch.autograd.grad(y.sum(), args)
    assert all(torch.equal(a, b) for a, b in zip(plain, found, strict=True))
    assert len(again) == 2
    return again[1]


def square(size=4):
    return torch.linspace(-1, 1, size * size).reshape(size, size).requires_grad_()


def test_a_kept_op_is_not_computed_again(computed):
    def function(x):
        return ((x @ x).sin() @ x).sin()

    assert backward_counts(computed, function, square(), policy=[]) == {"mm": 2, "sin": 2}
    again = backward_counts(computed, function, square(), policy=[ATEN.mm.default])
    assert again == {"sin": 2}
    both = [ATEN.mm.default, ATEN.sin.default]
    assert backward_counts(computed, function, square(), policy=both) == {}


def test_calls_of_one_op_are_told_apart(computed):
    calls = []

    def second_only(ctx, op, *args, **kwargs):
        calls.append(op)
        return calls.count(ATEN.mm.default) == 2 and op is ATEN.mm.default

    def function(x):
        return (x @ x @ (x + 1)).sin() @ x

    assert backward_counts(computed, function, square(), policy=second_only) == {"mm": 2, "sin": 1}


def test_layers_keep_their_products_and_attention(computed):
    block = torch.nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
    x = torch.randn(2, 5, 8, requires_grad=True)
    kept = [ATEN.addmm.default, ATEN._scaled_dot_product_flash_attention_for_cpu.default]
    everything = backward_counts(computed, block, x, policy=[])
    assert everything == {"linear2d": 4, "attention": 1, "layer_norm": 2}
    assert backward_counts(computed, block, x, policy=kept) == {"layer_norm": 2}


def test_products_of_batches_have_pytorchs_names(computed):
    x = torch.randn(2, 3, 3, requires_grad=True)
    w = torch.randn(3, 3, requires_grad=True)

    def function(x, w):
        return (x @ w) @ x

    assert backward_counts(computed, function, x, w, policy=[ATEN.mm.default]) == {"matmul": 1}
    assert backward_counts(computed, function, x, w, policy=[ATEN.bmm.default]) == {"matmul": 1}


def test_the_policy_may_compute_and_is_not_asked_about_that(computed):
    asked = []

    def policy(ctx, op, *args, **kwargs):
        asked.append(str(op))
        large = ctx.op_output.abs().sum() > 100
        return CheckpointPolicy.MUST_SAVE if large else CheckpointPolicy.PREFER_RECOMPUTE

    def function(x):
        return (x @ x).sin() * (100 * x).exp()

    backward_counts(computed, function, square(), policy=policy)
    assert asked == [f"aten.{n}" for n in (
        "mm.default", "sin.default", "mul.Tensor", "exp.default", "mul.Tensor"
    )]  # fmt: skip


def test_kept_results_are_freed_with_the_graph():
    import gc
    import weakref

    kept = []

    def policy(ctx, op, *args, **kwargs):
        kept.append(weakref.ref(ctx.op_output._a))
        return True

    def function(x):
        return (x @ x).sin().cos()

    context_fn = partial(create_selective_checkpoint_contexts, policy)
    y = checkpoint(function, square(), use_reentrant=False, context_fn=context_fn)
    assert all(r() is not None for r in kept)
    del y
    gc.collect()
    assert [r() for r in kept] == [None, None, None]


# ---- errors --------------------------------------------------------------------------------------


def line_of(function, text):
    lines, first = inspect.getsourcelines(function)
    return f"test_selective.py:{first + next(i for i, s in enumerate(lines) if text in s)}"


def failing(function, policy):
    context_fn = partial(create_selective_checkpoint_contexts, policy)
    y = checkpoint(function, square(), use_reentrant=False, context_fn=context_fn).sum()
    with pytest.raises(RuntimeError) as caught:
        y.backward()
    return str(caught.value)


def test_a_changed_kept_result_is_named():
    def function(x):
        product = x @ x
        result = product.sin()
        product.detach().mul_(2)
        return result.exp()

    text = failing(function, [ATEN.mm.default])
    assert "Tensor cached during selective activation checkpoint has been mutated" in text
    assert "the result of aten.mm.default, of shape [4, 4]" in text
    assert line_of(function, "product = x @ x") in text
    assert "Fix: write to a .clone()" in text


def test_another_op_the_second_time_is_named():
    runs = []

    def function(x):
        runs.append(x)
        return x.exp().cos() if len(runs) == 1 else x.sin().cos()

    text = failing(function, [])
    assert "aten.sin.default encountered during backward but not found in storage" in text
    assert line_of(function, "x.sin()") in text and "Fix: make it depend on its arguments" in text


def test_what_is_no_overload_is_refused_with_the_way_out():
    with pytest.raises(ValueError, match="Expected op in `op_list` to be an OpOverload") as caught:
        create_selective_checkpoint_contexts([ATEN.mm])
    assert "Fix: name one overload, as in torch.ops.aten.mm.default." in str(caught.value)
    assert "test_selective.py" in str(caught.value)


def test_a_name_without_a_function_cannot_be_called():
    with pytest.raises(NotImplementedError, match=r"prims\.add\.default is a name"):
        torch.ops.prims.add.default(torch.ones(2), torch.ones(2))
    assert ATEN.mm.default(torch.eye(2), torch.eye(2)).tolist() == [[1.0, 0.0], [0.0, 1.0]]
