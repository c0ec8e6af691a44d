"""What lies in C order in PyTorch does here: `view` of it works whatever the input's strides."""

from __future__ import annotations

import pytest

import chainrule as torch

F = torch.nn.functional

# Functions of a tensor whose result PyTorch lays out in C order.
IN_ORDER = [
    "x.sum(1)", "x.sum(-1, keepdim=True)", "x.mean(1)", "x.amax(-1)", "x.amin(1)", "x.prod(1)",
    "x.max(1)[0]", "x.max(1)[1]", "x.argmax(1)", "x.argmin(-1)", "x.any(1)", "x.all(-1)",
    "x.std(1)", "x.var(-1)", "x.norm(dim=1)", "x.norm(3, dim=1)", "x.nansum(1)", "x.logsumexp(1)",
    "x.count_nonzero(1)", "x.cumsum(1)", "x.cumprod(-1)", "x.cummax(1)[0]", "x.cummin(1)[1]",
    "x.logcumsumexp(1)", "x.topk(2, 1)[0]", "x.topk(2, 1)[1]", "x.topk(2)[1]",
    "x.kthvalue(2, 1)[0]",
    "x.kthvalue(2, 1)[1]", "x.median(1)[1]", "x.mode(1)[1]", "x.roll(1, 0)", "x.roll(2)",
    "x.renorm(2, 0, 0.5)", "F.batch_norm(x, None, None, training=True)",
    "F.batch_norm(x, torch.zeros(x.shape[1]), torch.ones(x.shape[1]))", "F.group_norm(x, 1)",
    "F.layer_norm(x, x.shape[-1:])", "F.one_hot(x.long().abs() % 3, 3)",
    "torch.einsum('abc->ca', x)", "torch.fft.fftshift(x)", "torch.var_mean(x, 1)[0]",
]  # fmt: skip


def _inputs():
    base = torch.arange(60.0).sin().reshape(3, 4, 5)
    return {
        "turned": base.transpose(1, 2),
        "reversed": base.permute(2, 1, 0),
        "repeated": base[:1].expand(4, 4, 5),
        "sliced": base[:, ::2],
    }


@pytest.mark.parametrize("text", IN_ORDER)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_results_in_c_order(text, dtype):
    for name, x in _inputs().items():
        if dtype is torch.bfloat16:
            if "batch_norm" in text or "fft" in text:
                continue
            x = x.bfloat16() if name != "repeated" else x[:1].bfloat16().expand(4, 4, 5)
        assert eval(text, {"torch": torch, "F": F, "x": x}).is_contiguous(), name


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "int64", "int8", "bool", "float64"])
def test_casts_of_repeated_elements(dtype):
    row = torch.arange(3.0)[None].expand(2, 3)
    assert row.to(getattr(torch, dtype)).view(-1).shape == (6,)
    assert row.T.to(getattr(torch, dtype)).tolist() == row.to(getattr(torch, dtype)).T.tolist()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_of_repeated_elements(dtype):
    row = torch.arange(3.0).to(dtype)[None].expand(2, 3)
    for y in (row * 2, row.exp(), row + row, row.clamp(0, 1), torch.lerp(row, row, 0.5)):
        assert y.view(-1).shape == (6,)


def test_channels_stay_last():
    x = torch.randn(2, 4, 3, 5).contiguous(memory_format=torch.channels_last)
    stats = torch.zeros(4), torch.ones(4)
    for y in (
        F.batch_norm(x, None, None, training=True),
        F.batch_norm(x, *stats),
        F.group_norm(x, 2),
    ):
        assert y.is_contiguous(memory_format=torch.channels_last)


def test_compiled_results_lie_as_eager_ones():
    def f(x):
        return x.sum(1), x.cumsum(1), x.topk(2, 1)[1], x.amax(-1)

    compiled = torch.compile(f)
    for x in _inputs().values():
        for _ in range(3):
            got = compiled(x)
        for a, b in zip(got, f(x), strict=True):
            assert a.stride() == b.stride()
            assert torch.equal(a, b)


# ---- memory that several elements share, or that lies otherwise than in C order ------------------


def test_as_strided_of_repeated_elements():
    """A place that three elements show: each of them gets a third of its gradient."""
    x = torch.arange(9.0)[:3].expand(3, 3).detach().requires_grad_()
    x.as_strided([2, 2], [1, 2], 0).backward(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    want = torch.tensor([1 / 3, 1.0, 2 / 3]).expand(3, 3)
    assert torch.allclose(x.grad, want)


def test_as_strided_scatter_follows_the_strides():
    src = torch.tensor([[50, 10], [-50, 20]])
    turned = torch.arange(9).reshape(3, 3).t()
    got = torch.as_strided_scatter(turned, src, [2, 2], [1, 2], 0)
    assert got.tolist() == [[50, 20, 6], [-50, 4, 7], [10, 5, 8]]
    with_gaps = torch.arange(20)[::2]
    got = torch.as_strided_scatter(with_gaps, src, [2, 2], [1, 2], 0)
    assert got.tolist() == [50, 10, 4, 6, 8, 10, 12, 14, 16, 18]


def test_as_strided_scatter_differentiates():
    x = torch.arange(9.0).double().reshape(3, 3).t()
    src = torch.randn(2, 2).double().requires_grad_()
    assert torch.autograd.gradcheck(
        lambda x, s: torch.as_strided_scatter(x, s, [2, 2], [1, 2], 0),
        (x.detach().requires_grad_(), src),
    )


def test_to_contiguous_format_undoes_channels_last_and_nothing_else():
    x = torch.arange(6.0).reshape(2, 3).t()
    for same in (x.to(memory_format=torch.contiguous_format),
                 x.float(memory_format=torch.contiguous_format)):  # fmt: skip
        assert same is x
    assert x.double(memory_format=torch.contiguous_format).stride() == (2, 1)
    image = torch.zeros(1, 2, 3, 4).contiguous(memory_format=torch.channels_last)
    assert image.to(memory_format=torch.contiguous_format).stride() == (24, 12, 4, 1)


def test_memory_formats_of_cpu_resize_and_complex_halves():
    x = torch.arange(24.0).reshape(1, 2, 3, 4)
    last = {"memory_format": torch.channels_last}
    assert x.cpu(**last).stride() == x.chalf(**last).stride() == (24, 1, 8, 2)
    assert x.clone().resize_(1, 2, 2, 3, **last).stride() == (12, 1, 6, 2)
    assert x.clone().resize_as_(x[..., :2], **last).stride() == (12, 1, 4, 2)
    assert x.clone().resize_(1, 2, 3, 4, **last).is_contiguous(memory_format=torch.channels_last)
    halves = torch.ones(2, 3).half()
    out = torch.empty(0, dtype=torch.complex32)
    assert torch.complex(halves, halves, out=out) is out and out.shape == (2, 3)
    assert out.t().contiguous().stride() == (2, 1)
