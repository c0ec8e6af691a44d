"""Attention: blocks give what the whole matrix gives, in memory linear in the length."""

import math
import tracemalloc

import numpy as np
import pytest

import chainrule as torch
from chainrule import nn
from chainrule.nn import functional as F
from chainrule.nn.attention import SDPBackend, bias, flex_attention, sdpa_kernel
from chainrule.ops import attention_arrays

attend = F.scaled_dot_product_attention


def normal(*shape, seed=0, dtype=torch.float64):
    values = np.random.RandomState(seed).standard_normal(shape)
    return torch.tensor(values, dtype=dtype).requires_grad_()


def materialised(q, k, v, mask=None, causal=False):
    """Attention in the words of its definition."""
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    if causal:
        mask = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
    if mask is not None and mask.dtype is torch.bool:
        scores = scores.masked_fill(~mask, -math.inf)
    elif mask is not None:
        scores = scores + mask
    return torch.softmax(scores, -1) @ v


@pytest.fixture(params=["few scores", "entries", "queries", "queries and keys"])
def blocks(request, monkeypatch):
    """Block sizes that make small inputs run as large ones do."""
    sizes = {
        "few scores": {},
        "entries": {"_KEPT": 0, "_BLOCK": 200},
        "queries": {"_KEPT": 0, "_BLOCK": 20, "_QUERIES": 3, "_CAUSAL_QUERIES": 2, "_KEYS": 64},
        "queries and keys": {
            "_KEPT": 0, "_BLOCK": 1, "_QUERIES": 3, "_CAUSAL_QUERIES": 2, "_KEYS": 4,
        },
    }[request.param]  # fmt: skip
    for name, value in sizes.items():
        monkeypatch.setattr(attention_arrays, name, value)


MASKS = {
    "none": lambda: None,
    "bool": lambda: (
        torch.tensor(np.random.RandomState(1).rand(3, 1, 7, 9) < 0.7)
        | torch.eye(7, 9, dtype=torch.bool)
    ),
    "float": lambda: normal(7, 9, seed=4),
    "per head": lambda: normal(2, 1, 9, seed=4),
    "per example": lambda: normal(3, 1, 7, 1, seed=4),
}


@pytest.mark.parametrize("name", MASKS)
def test_blocks_give_what_the_whole_matrix_gives(blocks, name):
    q, k, v = normal(3, 2, 7, 4), normal(3, 2, 9, 4, seed=1), normal(3, 2, 9, 5, seed=2)
    mask = MASKS[name]()
    found, expected = attend(q, k, v, mask), materialised(q, k, v, mask)
    torch.testing.assert_close(found, expected)
    leaves = [q, k, v] + [mask] * (mask is not None and mask.requires_grad)
    weights = normal(*found.shape, seed=5).detach()
    ours = torch.autograd.grad((found * weights).sum(), leaves)
    theirs = torch.autograd.grad((expected * weights).sum(), leaves)
    for a, b in zip(ours, theirs, strict=True):
        torch.testing.assert_close(a, b)


@pytest.mark.parametrize(("length", "keys"), [(9, 9), (9, 4), (4, 9), (1, 3)])
def test_causal_blocks(blocks, length, keys):
    q, k, v = normal(2, 3, length, 4), normal(2, 3, keys, 4, seed=1), normal(2, 3, keys, 4, seed=2)
    found, expected = attend(q, k, v, is_causal=True), materialised(q, k, v, causal=True)
    torch.testing.assert_close(found, expected)
    ours = torch.autograd.grad(found.sin().sum(), (q, k, v))
    theirs = torch.autograd.grad(expected.sin().sum(), (q, k, v))
    for a, b in zip(ours, theirs, strict=True):
        torch.testing.assert_close(a, b)


def test_a_query_that_sees_nothing_gives_zeros_and_no_gradient(blocks):
    q, k, v = (normal(1, 2, 6, 4, seed=s) for s in range(3))
    mask = torch.ones(6, 6, dtype=torch.bool)
    mask[2] = False
    out = attend(q, k, v, mask)
    assert out[:, :, 2].abs().max() == 0
    out.sum().backward()
    assert q.grad[:, :, 2].abs().max() == 0
    assert all(t.grad.isfinite().all() for t in (q, k, v))


def test_large_scores_do_not_overflow(blocks):
    q = normal(1, 1, 8, 4) * 1e4
    assert attend(q, q, q).isfinite().all()


def test_heads_split_off_a_projection_are_taken_as_they_lie(blocks):
    packed = normal(2, 6, 3 * 2 * 4)
    q, k, v = packed.view(2, 6, 3, 2, 4).permute(2, 0, 3, 1, 4).unbind(0)
    found, expected = attend(q, k, v, is_causal=True), materialised(q, k, v, causal=True)
    ours = torch.autograd.grad(found.sin().sum(), packed)[0]
    torch.testing.assert_close(ours, torch.autograd.grad(expected.sin().sum(), packed)[0])


def test_grouped_queries():
    q, k, v = normal(2, 6, 5, 4), normal(2, 2, 5, 4, seed=1), normal(2, 2, 5, 4, seed=2)
    found = attend(q, k, v, enable_gqa=True)
    repeated = [t.repeat_interleave(3, 1) for t in (k, v)]
    torch.testing.assert_close(found, materialised(q, *repeated))
    with pytest.raises(RuntimeError, match="Number of heads in key and value must divide"):
        attend(q, normal(2, 4, 5, 4), normal(2, 4, 5, 4), enable_gqa=True)


def test_dropout_keeps_the_expected_value():
    torch.manual_seed(0)
    q = torch.ones(1, 1, 40, 4)
    v = torch.ones(1, 1, 40, 2000)
    out = attend(q, q, v, dropout_p=0.3)
    assert abs(out.mean().item() - 1) < 0.05
    assert out.std(-2).max() > 0.01


def peak_of(length, **options):
    """The most memory that attention and its gradient hold beyond the inputs, in bytes."""
    inputs = [normal(1, 1, length, 16, seed=s, dtype=torch.float32) for s in range(3)]
    attend(*inputs, **options).sum().backward()  # buffers of blocks exist from here on
    for t in inputs:
        t.grad = None
    tracemalloc.start()
    try:
        attend(*inputs, **options).sum().backward()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("causal", [False, True])
def test_memory_is_linear_in_the_length(causal):
    short, long = (peak_of(n, is_causal=causal) for n in (1024, 4096))
    assert long < 6 * short, "four times the length may take four times the memory"
    scores = 4096 * 4096 * 4
    assert long < scores / 16


# ---- nn.attention --------------------------------------------------------------------------------


def test_backends_by_name():
    q = normal(1, 1, 3, 4)
    with sdpa_kernel([SDPBackend.FLASH_ATTENTION, SDPBackend.CUDNN_ATTENTION]):
        torch.testing.assert_close(attend(q, q, q), materialised(q, q, q))
    with (
        sdpa_kernel(SDPBackend.EFFICIENT_ATTENTION),
        pytest.raises(RuntimeError, match="No viable backend for scaled_dot_product_attention"),
    ):
        attend(q, q, q)
    attend(q, q, q)  # allowed again
    with pytest.raises(AssertionError, match="must be an instance of SDPBackend"):
        sdpa_kernel("math").__enter__()


def test_causal_biases():
    q, k = normal(1, 1, 3, 4), normal(1, 1, 5, 4, seed=1)
    upper, lower = bias.causal_upper_left(3, 5), bias.causal_lower_right(3, 5)
    assert upper.shape == (3, 5)
    torch.testing.assert_close(attend(q, k, k, upper), materialised(q, k, k, causal=True))
    shown = torch.ones(3, 5, dtype=torch.bool).tril(2)
    torch.testing.assert_close(attend(q, k, k, lower), materialised(q, k, k, shown))
    with pytest.raises(ValueError, match="should not be used with causal=True"):
        attend(q, k, k, lower, is_causal=True)


def test_flex_attention_with_a_function_of_scores():
    q, k, v = (normal(2, 3, 5, 4, seed=s) for s in range(3))

    def nearby(score, b, h, i, j):
        return score - (h + 1) * (i - j).abs()

    distance = (torch.arange(5)[:, None] - torch.arange(5)).abs() * torch.arange(1, 4)[
        :, None, None
    ]
    expected = materialised(q, k, v, -distance.double())
    found, lse = flex_attention.flex_attention(q, k, v, nearby, return_lse=True)
    torch.testing.assert_close(found, expected)
    assert lse.shape == (2, 3, 5)
    ours = torch.autograd.grad(found.sum(), (q, k, v))
    for a, b in zip(ours, torch.autograd.grad(expected.sum(), (q, k, v)), strict=True):
        torch.testing.assert_close(a, b)


def test_flex_attention_with_a_block_mask():
    q = normal(1, 2, 6, 4)
    near = flex_attention.and_masks(lambda b, h, i, j: i >= j, lambda b, h, i, j: i - j < 3)
    mask = flex_attention.create_block_mask(near, None, None, 6, 6, BLOCK_SIZE=2)
    dense = flex_attention.create_mask(near, 1, 1, 6, 6)
    assert dense[0, 0].int().sum().item() == 15
    torch.testing.assert_close(
        flex_attention.flex_attention(q, q, q, block_mask=mask), materialised(q, q, q, dense)
    )
    assert mask.to_dense()[0, 0].tolist() == [[1, 0, 0], [1, 1, 0], [0, 1, 1]]
    assert round(mask.sparsity(), 2) == 44.44
    with pytest.raises(ValueError, match="to be 4D tensors"):
        flex_attention.flex_attention(q[0], q[0], q[0])


# ---- several heads -------------------------------------------------------------------------------


@pytest.mark.parametrize("batch_first", [False, True])
def test_weights_and_no_weights_give_the_same_output(batch_first):
    torch.manual_seed(0)
    layer = nn.MultiheadAttention(8, 2, batch_first=batch_first).double()
    x = normal(5, 5, 8)
    hidden = torch.ones(5, 5, dtype=torch.bool).triu(1)
    padded = torch.zeros(5, 5, dtype=torch.bool)
    padded[:, 4] = True
    for masks in ({}, {"attn_mask": hidden}, {"attn_mask": hidden, "key_padding_mask": padded}):
        out, weights = layer(x, x, x, **masks)
        fused, nothing = layer(x, x, x, need_weights=False, **masks)
        assert nothing is None
        torch.testing.assert_close(fused, out)
        torch.testing.assert_close(weights.sum(-1), torch.ones(5, 5).double())
    other, _ = layer(x, x.clone(), x.clone(), need_weights=False)  # not seen to be the same
    torch.testing.assert_close(layer(x, x, x, need_weights=False)[0], other)


def test_derivatives_of_attention_of_several_heads():
    torch.manual_seed(0)
    layer = nn.MultiheadAttention(4, 2).double()
    x = normal(3, 2, 4)
    run = lambda x: layer(x, x, x, need_weights=False)[0]  # noqa: E731
    assert torch.autograd.gradcheck(run, (x,), check_forward_ad=True)
    assert torch.autograd.gradgradcheck(run, (x,))


X = torch.ones(3, 2, 6)
ERRORS = [
    (lambda m: m(X[0, 0], X, X), AssertionError, "received 1-D query tensor"),
    (lambda m: m(X, X[0], X), AssertionError, "to be 3-D but found 2-D and 3-D"),
    (lambda m: m(X[..., :5], X, X), AssertionError, "embedding dimension of 6, but got 5"),
    (
        lambda m: m(X, X, X, key_padding_mask=torch.ones(2, 4) > 0),
        AssertionError,
        r"Expected key_padded_mask.shape\[1\] to be 3, but got 4",
    ),
    (
        lambda m: m(X, X, X, need_weights=False, attn_mask=torch.ones(3, 4) > 0),
        RuntimeError,
        "The shape of the 2D attn_mask is",
    ),
    (lambda m: m(X, X, X, is_causal=True), RuntimeError, "Need attn_mask if specifying"),
    (lambda m: m(X, X, X, attn_mask=torch.ones(3, 3).long()), AssertionError, "only bool and flo"),
    (lambda m: nn.MultiheadAttention(6, 4), AssertionError, "must be divisible by num_heads"),
    (lambda m: nn.MultiheadAttention(6, 0), ValueError, "must be greater than 0"),
]


@pytest.mark.parametrize(("call", "kind", "phrase"), ERRORS)
def test_errors(call, kind, phrase):
    with pytest.raises(kind, match=phrase):
        call(nn.MultiheadAttention(6, 2))


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("length", [24, 300, 600])
def test_a_query_masked_by_the_smallest_number_attends_to_all_keys_alike(length, causal):
    """As softmax of equal numbers does; minus infinity hides, finfo.min does not."""
    torch.manual_seed(0)
    q, k, v, g = (torch.randn(2, length, 16, dtype=torch.float32) for _ in range(4))
    mask = torch.zeros(length, length)
    mask[3] = torch.finfo(torch.float32).min
    found = [x.clone().requires_grad_() for x in (q, k, v)]
    out = attend(*found, attn_mask=mask) if not causal else attend(*found, attn_mask=mask.tril())
    exact = [x.clone().requires_grad_() for x in (q, k, v)]
    scores = exact[0] @ exact[1].transpose(1, 2) / 4 + (mask.tril() if causal else mask)
    expected = scores.softmax(-1) @ exact[2]
    torch.testing.assert_close(out, expected, rtol=1e-4, atol=1e-5)
    out.backward(g)
    expected.backward(g)
    for a, b in zip(found, exact, strict=True):
        torch.testing.assert_close(a.grad, b.grad, rtol=1e-3, atol=1e-4)
    if not causal:
        torch.testing.assert_close(out[:, 3], v.mean(1), rtol=1e-4, atol=1e-5)


def test_attention_over_nothing_is_nothing():
    nothing = torch.zeros(0, 6)
    layer = torch.nn.MultiheadAttention(6, 2, add_zero_attn=True)
    assert layer(nothing, nothing, nothing, need_weights=False)[0].shape == (0, 6)
    assert torch.nn.TransformerEncoderLayer(6, 2, 8)(nothing).shape == (0, 6)
    assert torch.nn.TransformerDecoderLayer(6, 2, 8)(nothing, nothing).shape == (0, 6)
