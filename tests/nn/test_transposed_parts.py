"""Transposed convolutions whose products are far larger than their results: made in parts."""

import tracemalloc

import numpy as np
import pytest

import chainrule as torch
from chainrule.nn import functional as F
from chainrule.ops import conv_arrays, conv_scatter

CASES = [
    dict(channels=4, outputs=6, kernel=(3, 3), stride=2),
    dict(channels=4, outputs=6, kernel=(3, 2), stride=(2, 1), padding=1, output_padding=(1, 0)),
    dict(channels=4, outputs=6, kernel=(2, 3), stride=3, padding=1, groups=2, dilation=2),
    dict(channels=2, outputs=3, kernel=(19, 18), stride=2, dilation=(1, 2)),
    dict(channels=2, outputs=3, kernel=(11,), stride=2, padding=3),
    dict(channels=2, outputs=2, kernel=(2, 3, 2), stride=2),
]  # fmt: skip


def result(channels, outputs, kernel, groups=1, **options):
    torch.manual_seed(0)
    x = torch.randn(3, channels, *(5, 4, 3)[: len(kernel)], dtype=torch.double)
    w = torch.randn(channels, outputs // groups, *kernel, dtype=torch.double)
    function = getattr(F, f"conv_transpose{len(kernel)}d")
    return function(x, w, groups=groups, **options).numpy()


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("largest", [16, 100])
def test_parts_add_up_to_the_whole(case, largest, monkeypatch):
    whole = result(**case)
    monkeypatch.setattr(conv_scatter, "_LARGEST", largest)
    monkeypatch.setattr(conv_scatter, "_MANY_TAPS", 0 if largest == 16 else 1 << 12)
    assert np.allclose(result(**case), whole, rtol=1e-13, atol=1e-13)


def test_kernels_far_larger_than_the_image_take_work_of_their_own_size():
    """A million places times a million kernel elements would take hours."""
    x, w = torch.ones(1, 1, 3), torch.ones(1, 1, 1_000_000)
    out = F.conv_transpose1d(x, w)
    assert out.shape == (1, 1, 1_000_002)
    assert out[0, 0, :4].tolist() == [1, 2, 3, 3] and out.double().sum() == 3_000_000
    assert F.conv_transpose2d(x[None], w[None]).shape == (1, 1, 1, 1_000_002)


def test_padding_of_many_channels_is_made_for_some_at_once(monkeypatch):
    """What lies in the padding is cut off: it can be larger than the result."""
    monkeypatch.setattr(conv_scatter, "_LARGEST", 1 << 14)
    channels = 4000
    gy, w = np.ones((1, 2, 4, 4, 5), "f"), np.ones((2, channels // 2, 2, 2, 2), "f")
    sizes = ((7, 7, 9), (2, 2, 2), (1, 1, 1), (1, 1, 1), 2)
    conv_arrays.conv_input_gradient(gy, w, *sizes)  # imports and kernels are not what is measured
    tracemalloc.start()
    try:
        made = conv_arrays.conv_input_gradient(gy, w, *sizes)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (made == 1).all()
    assert peak < made.nbytes + 5 * 4 * conv_scatter._LARGEST
