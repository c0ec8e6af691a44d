"""Attention as jobs of threads gives what the formula gives, with all kinds of borders."""

from __future__ import annotations

import numpy as np
import pytest

import chainrule as torch
from chainrule.compiler.products import offered

SIZES = {  # leading dimensions, queries, keys, width of keys, width of values
    "one block": ((2, 3), 130, 130, 32, 32),
    "two parts of the keys": ((1, 2), 150, 1100, 64, 64),
    "one head, cut by queries": ((1,), 700, 700, 16, 24),
    "more keys than queries": ((2, 2), 100, 900, 33, 33),
    "more queries than keys": ((2, 2), 600, 100, 33, 40),
    "short": ((3, 4), 9, 11, 8, 8),
    "no leading dimension": ((), 300, 280, 32, 32),
}


@pytest.fixture(scope="module")
def jobs():
    product = offered.shared()
    if product is None:
        pytest.skip("no machine code for products on this machine")
    return product.attention


def formula(g, q, k, v, mask, scale, causal):
    """(result, gradients of q, k, v) with the whole matrix, in double precision."""
    g, q, k, v = (x.astype(np.float64) for x in (g, q, k, v))
    s = q @ k.swapaxes(-1, -2) * scale
    if mask is not None:
        s = np.where(mask, s, -np.inf) if mask.dtype == np.bool_ else s + mask
    if causal:
        s = np.where(np.arange(k.shape[-2]) > np.arange(q.shape[-2])[:, None], -np.inf, s)
    top = s.max(-1, keepdims=True)
    e = np.exp(s - np.where(np.isinf(top), 0, top))
    total = e.sum(-1, keepdims=True)
    p = e / np.where(total == 0, 1, total)
    out = p @ v
    slopes = p * (g @ v.swapaxes(-1, -2) - (g * out).sum(-1, keepdims=True)) * scale
    return out, slopes @ k, slopes.swapaxes(-1, -2) @ q, p.swapaxes(-1, -2) @ g


def draw(size, dtype, masked):
    lead, queries, keys, width, value_width = size
    random = np.random.Generator(np.random.PCG64(5))

    def normal(*shape):
        return random.standard_normal(shape).astype(dtype)

    # Heads as they come out of a projection: strided, joined again for free.
    q = normal(queries, width)
    if lead:
        q = normal(*lead[:-1], queries, lead[-1], width).swapaxes(-2, -3)
    k, v = normal(*lead, keys, width), normal(*lead, keys, value_width)
    mask = None
    if masked == "bool":
        mask = random.random((queries, keys)) > 0.3
        mask[queries // 2] = False  # a query that sees nothing
    elif masked:
        mask = normal(*lead[:1], *(1,) * (len(lead) - 1), queries, keys)
    if mask is not None:
        mask = np.broadcast_to(mask, (*lead, queries, keys))
    return normal(*lead, queries, value_width), q, k, v, mask


@pytest.mark.parametrize("kept", [False, True], ids=["weights made again", "weights kept"])
@pytest.mark.parametrize("masked", ["", "bool", "add"])
@pytest.mark.parametrize("causal", [False, True], ids=["all", "causal"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("size", SIZES)
def test_jobs_give_what_the_formula_gives(jobs, size, dtype, causal, masked, kept):
    g, q, k, v, mask = draw(SIZES[size], dtype, masked)
    expected = formula(g, q, k, v, mask, 0.3, causal)
    out = np.full((*q.shape[:-1], v.shape[-1]), np.nan, q.dtype)
    weights = None
    if kept:
        weights = np.full((*q.shape[:-2], k.shape[-2], q.shape[-2]), np.nan, q.dtype)
    sums = jobs.forward(q, k, v, mask, 0.3, causal, out, weights)
    if kept and k.shape[-2] * q.shape[-2] * q.itemsize > 2 << 20:
        assert sums is None, "there is no room for the gradients of so many weights"
        return
    found = [np.full(x.shape, np.nan, x.dtype) for x in (q, k, v)]
    assert jobs.backward(g, q, k, v, mask, out, sums, 0.3, causal, found, weights)
    for got, right in zip((out, *found), expected, strict=True):
        bound = 400 * np.finfo(dtype).eps * max(1, np.abs(right).max())
        np.testing.assert_allclose(got, right, rtol=0, atol=bound)


def test_bits_do_not_depend_on_the_number_of_threads(jobs, monkeypatch):
    from chainrule.compiler.machine import worker_threads

    g, q, k, v, mask = draw(SIZES["one head, cut by queries"], "float32", "add")
    seen = []
    for threads in (1, 2, 3):
        monkeypatch.setattr(worker_threads, "thread_count", lambda threads=threads: threads)
        out = np.empty((*q.shape[:-1], v.shape[-1]), q.dtype)
        sums = jobs.forward(q, k, v, mask, 0.3, True, out)
        found = [np.empty(x.shape, x.dtype) for x in (q, k, v)]
        jobs.backward(g, q, k, v, mask, out, sums, 0.3, True, found)
        seen.append([x.tobytes() for x in (out, sums, *found)])
    assert seen[0] == seen[1] == seen[2]


def test_tiny_and_unlike_inputs_are_left_to_numpy(jobs):
    small = np.ones((2, 4, 4), np.float32)
    assert jobs.forward(small, small, small, None, 1.0, False, small.copy()) is None
    q = np.ones((2, 16, 16), np.float32)
    assert jobs.forward(q, q.astype(np.float64), q, None, 1.0, False, q.copy()) is None
    assert jobs.forward(q.astype(np.complex64), q, q, None, 1.0, False, q.copy()) is None


@pytest.mark.parametrize("layout", ["shared", "own", "keys", "transposed", "added"])
def test_masks_of_every_layout(layout):
    rng = np.random.RandomState(5)
    q, k, v = (
        torch.tensor(rng.standard_normal((2, 3, n, 16)).astype("f4")) for n in (80, 140, 140)
    )
    shape = {"own": (2, 3, 80, 140), "keys": (2, 1, 1, 140)}.get(layout, (80, 140))
    mask = torch.tensor(rng.random_sample(shape) > 0.3)
    mask[..., :2] = True
    if layout == "transposed":
        mask = mask.T.contiguous().T
    if layout == "added":
        mask = torch.tensor(rng.standard_normal((80, 140)).astype("f4"))
    leaves = [t.clone().requires_grad_() for t in (q, k, v)]
    out = torch.nn.functional.scaled_dot_product_attention(*leaves, attn_mask=mask)
    out.square().sum().backward()
    plain = [t.double().requires_grad_() for t in (q, k, v)]
    scores = plain[0] @ plain[1].transpose(-1, -2) / 4
    hidden = scores + mask if layout == "added" else scores.masked_fill(~mask, -float("inf"))
    expected = hidden.softmax(-1) @ plain[2]
    expected.square().sum().backward()
    np.testing.assert_allclose(out.detach(), expected.detach(), 1e-4, 1e-5)
    for a, b in zip(leaves, plain, strict=True):
        np.testing.assert_allclose(a.grad, b.grad, 1e-3, 1e-4)
