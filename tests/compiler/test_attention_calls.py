"""Attention as a part of a plan's machine code, against the same in eager mode."""

import numpy as np
import pytest

import chainrule as torch
from chainrule.compiler.machine import worker_threads

pytestmark = pytest.mark.jit
F = torch.nn.functional


@pytest.fixture(autouse=True)
def two_threads(monkeypatch):
    if worker_threads.shared() is None:
        pytest.skip("there are no threads here")
    monkeypatch.setattr(worker_threads.settings._Settings, "threads", 2)


def inputs(heads, queries, keys, width, dtype, split=False):
    random = np.random.default_rng(0)
    if split:  # heads as they are split off a projection
        joined = random.standard_normal((2, queries, 3, heads, width))
        parts = torch.tensor(joined, dtype=dtype).requires_grad_()
        return [parts], [parts[:, :, i].transpose(1, 2) for i in range(3)]
    shapes = [(2, heads, n, width) for n in (queries, keys, keys)]
    made = [torch.tensor(random.standard_normal(s), dtype=dtype).requires_grad_() for s in shapes]
    return made, made


def step(leaves, causal, split):
    q, k, v = [leaves[0][:, :, i].transpose(1, 2) for i in range(3)] if split else leaves
    out = F.scaled_dot_product_attention(q, k, v, is_causal=causal)
    joined = out.transpose(1, 2).reshape(2, out.shape[2], -1)
    loss = (joined * joined.detach().cos()).sum()
    return joined, *torch.autograd.grad(loss, leaves)


CASES = [
    (3, 64, 64, 32, True),  # weights are kept
    (2, 17, 40, 9, False),
    (2, 300, 300, 16, True),  # too many of them
    (1, 260, 513, 24, False),
    (4, 8, 8, 8, True),
]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize(
    "heads, queries, keys, width, causal, split",
    [(*c, False) for c in CASES] + [(*c, True) for c in CASES if c[1] == c[2]],
)
def test_attention_and_its_gradients(heads, queries, keys, width, causal, split, dtype):
    leaves, _ = inputs(heads, queries, keys, width, dtype, split)
    compiled = torch.compile(lambda *leaves: step(list(leaves), causal, split))
    for _ in range(4):
        found = compiled(*leaves)
    assert "job attend" in compiled.explain()
    tolerance = 2e-5 if dtype == torch.float32 else 1e-12
    for have, want in zip(found, step(leaves, causal, split), strict=True):
        np.testing.assert_allclose(have.detach(), want.detach(), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("kind", ["bool", "float"])
def test_masks_are_left_to_the_extern_step(kind):
    _, (q, k, v) = inputs(2, 16, 16, 8, torch.float32)
    mask = torch.tensor(np.random.default_rng(1).random((16, 16)) > 0.3) | torch.eye(16).bool()
    if kind == "float":
        mask = torch.where(mask, 0.0, -1.0)
    compiled = torch.compile(lambda q, k, v, m: F.scaled_dot_product_attention(q, k, v, m))
    for _ in range(4):
        found = compiled(q, k, v, mask)
    assert "extern attention" in compiled.explain()
    want = F.scaled_dot_product_attention(q, k, v, mask)
    np.testing.assert_allclose(found.detach(), want.detach(), rtol=1e-5, atol=1e-6)


def test_results_of_one_call_are_not_overwritten_by_the_next():
    _, (q, k, v) = inputs(2, 32, 32, 16, torch.float32)
    compiled = torch.compile(lambda q, k, v: F.scaled_dot_product_attention(q, k, v))
    with torch.no_grad():
        for _ in range(3):
            compiled(q, k, v)
        first = compiled(q, k, v)
        before = first.clone()
        compiled(q * 2, k, v)
    np.testing.assert_array_equal(first, before)


def test_few_queries_and_many_heads_stay_extern_steps():
    _, few = inputs(2, 4, 16, 8, torch.float32)
    _, many = inputs(200, 8, 8, 8, torch.float32)
    for q, k, v in (few, many):
        compiled = torch.compile(lambda q, k, v: F.scaled_dot_product_attention(q, k, v))
        for _ in range(4):
            found = compiled(q, k, v)
        assert "extern attention" in compiled.explain()
        want = F.scaled_dot_product_attention(q, k, v)
        np.testing.assert_allclose(found.detach(), want.detach(), rtol=1e-5, atol=1e-6)
