"""The kernels of attention compute what its NumPy form computes."""

import numpy as np
import pytest

import chainrule as torch
from chainrule import nn
from chainrule.ops import attention_arrays

from .test_native_kernels import both, close, tensors

__all__ = ["both"]

DTYPES = (torch.float32, torch.float64)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("kept", [0, 1 << 18])
@pytest.mark.parametrize(("length", "keys"), [(1, 1), (7, 7), (33, 50), (50, 33)])
def test_attention(both, monkeypatch, dtype, causal, kept, length, keys):
    sizes = {"_KEPT": kept, "_BLOCK": 300, "_QUERIES": 8, "_CAUSAL_QUERIES": 8, "_KEYS": 16}
    for name, value in sizes.items():
        monkeypatch.setattr(attention_arrays, name, value)
    inputs = tensors([(2, 3, length, 4), (2, 3, keys, 4), (2, 3, keys, 5)], dtype)

    def run():
        out = nn.functional.scaled_dot_product_attention(*inputs, is_causal=causal)
        return [out, *torch.autograd.grad(out.sin().sum(), inputs)]

    expected, found, used = both(run)
    close(found, expected, dtype)
    if kept:
        assert used >= {"attention_softmax", "attention_pull_at_once"}
    else:
        assert used >= {"attention_exponentials", "attention_pull", "attention_again"}


def test_attention_that_sees_nothing_at_first(both, monkeypatch):
    """A first block of keys that is hidden says nothing about how large later scores are."""
    for name, value in {"_KEPT": 0, "_BLOCK": 1, "_QUERIES": 8, "_KEYS": 4}.items():
        monkeypatch.setattr(attention_arrays, name, value)
    q, k, v = tensors([(1, 1, 5, 4), (1, 1, 9, 4), (1, 1, 9, 4)], torch.float64)
    mask = torch.full((5, 9), -500.0, dtype=torch.float64)
    mask[:, :4] = -np.inf
    mask[3] = -np.inf

    def run():
        return [nn.functional.scaled_dot_product_attention(q, k, v, mask)]

    expected, found, _ = both(run)
    close(found, expected, torch.float64)
    shifted = nn.functional.scaled_dot_product_attention(q, k[:, :, 4:], v[:, :, 4:])
    torch.testing.assert_close(found[0][:, :, :3], shifted[:, :, :3])
    assert found[0][:, :, 3].abs().max() == 0
