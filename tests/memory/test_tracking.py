"""`memory.track`, `memory.saved` and `memory.summary`."""

import json

import pytest

import chainrule as torch
from chainrule import memory, nn
from chainrule.autograd.state import STATE
from chainrule.ops import allocation

MEGABYTE = 1 << 20
counted = pytest.mark.skipif(not allocation.count(), reason="needs machine code")


def test_what_is_saved_by_op_line_and_module():
    model = nn.Sequential(nn.Linear(256, 512), nn.ReLU(), nn.Linear(512, 4), nn.Tanh())
    with memory.track(model) as m:
        loss = model(torch.ones(128, 256)).sum()
        line = torch.autograd.graph.Node.where(loss.grad_fn)
    by_module = m.at_most_saved().by("module")
    assert by_module == {"1": 128 * 512 * 4, "0": 128 * 256 * 4, "3": 128 * 4 * 4}
    assert m.at_most_saved().by("op") == {
        "relu": 128 * 512 * 4, "linear": 128 * 256 * 4, "tanh": 128 * 4 * 4
    }  # fmt: skip
    (place,) = m.at_most_saved().by("line")
    assert place.startswith("test_tracking.py:") and place.split(":")[1] in line
    assert m.at_most_saved().parameters == 4 * 512 * 4  # the second weight: for the gradient of x


@counted
def test_peak_live_and_saved_through_a_step():
    x = torch.ones(MEGABYTE // 4, requires_grad=True)
    with memory.track() as m:
        loss = x.exp().sin().sum()
        after_forward = m.timeline[-1]
        loss.backward()
    assert after_forward.saved == MEGABYTE  # exp's result, which sin saves too
    assert after_forward.phase == "forward" and after_forward.label == "reduce_sum"
    assert m.saved_now == 0
    assert m.saved_peak == MEGABYTE
    assert 2 * MEGABYTE <= m.peak <= 5 * MEGABYTE
    assert MEGABYTE <= m.live < 1.1 * MEGABYTE  # x.grad
    assert {t.phase for t in m.timeline} == {"forward", "backward", "end"}
    assert [t.label for t in m.timeline if t.phase == "backward"] == [
        "SumBackward0", "SinBackward0", "ExpBackward0", "AccumulateGrad", "backward ends",
    ]  # fmt: skip


@counted
def test_temporary_arrays_inside_an_op_count_for_the_peak():
    x = torch.ones(MEGABYTE // 4)
    with memory.track() as m:
        (x + x).add_(1.0)
    assert m.peak >= MEGABYTE and m.live < 1000


def test_graphs_that_are_dropped_without_backward_let_go():
    x = torch.ones(1000, requires_grad=True)
    with memory.track() as m:
        y = x.exp()
        assert m.saved_now == 4000
        del y
        assert m.saved_now == 0
        y = x.exp().sum()
        y.backward(retain_graph=True)
        (x * 2).sum()
        assert m.saved_now == 4000  # retained
        y.backward()
        (x * 2).sum()
    assert m.saved_now == 0


def test_nothing_stays_switched_on():
    before = STATE.w
    with pytest.raises(ZeroDivisionError), memory.track():
        raise ZeroDivisionError
    assert STATE.w == before and STATE.watchers == []


def test_saved_lists_each_memory_once():
    x = torch.ones(100, 100, requires_grad=True)
    y = x.exp()
    z = (y * y.sin() + y.t().cos()).sum()
    report = memory.saved(z)
    exp = [e for e in report.entries if e.op == "exp"]
    assert len(exp) == 1 and exp[0].nodes > 2 and exp[0].bytes == 40000
    assert report.total == sum({e.bytes for e in exp}) + sum(
        e.bytes for e in report.entries if e.op != "exp"
    )
    assert memory.saved(z, y).total == report.total
    z.backward()
    assert memory.saved(z).total == 0


def test_a_view_keeps_all_that_it_looks_at():
    big = torch.ones(1000, 1000, requires_grad=True).exp()
    small = (big[0] * 2).exp()
    kept = memory.saved(big[0] * big[0])
    assert max(e.bytes for e in kept.entries) == 4_000_000
    assert memory.saved(small).activations == 4_000_000 + 4000


def test_saved_by_a_custom_function_and_inside_checkpoints():
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return 2 * g * x

    x = torch.ones(1000, requires_grad=True)
    (e,) = memory.saved(Square.apply(x.exp()).sum()).entries
    assert e.bytes == 4000
    from chainrule.utils.checkpoint import checkpoint

    kept = memory.saved(checkpoint(lambda t: t.exp().exp().exp(), x, use_reentrant=False))
    assert kept.activations == 0


def test_reports_as_json_html_and_svg():
    x = torch.ones(1000, requires_grad=True)
    with memory.track() as m:
        x.exp().sum().backward()
    facts = json.loads(m.to_json())
    assert facts["saved_peak"] == 4000 and facts["entries"][0]["op"] == "exp"
    assert m.to_svg().startswith("<svg") and "kept for backward" in m.to_svg()
    assert "<table>" in m.to_html() and "<table>" in m._repr_html_()
    assert "peak above it" in str(m)
    with pytest.raises(ValueError, match="expected one of 'op', 'line'"):
        m.by("colour")


def test_timeline_with_matplotlib():
    pytest.importorskip("matplotlib")
    x = torch.ones(10, requires_grad=True)
    with memory.track() as m:
        x.exp().sum()
    assert len(m.plot().lines) == 2


def test_summary_by_use():
    layer = nn.Linear(500, 500, bias=False)
    before = memory.summary().by_use
    y = layer(torch.ones(100, 500)).exp()
    after = memory.summary().by_use
    assert after["kept for backward"] - before["kept for backward"] >= 2 * 100 * 500 * 4
    y.sum().backward()
    assert memory.summary().by_use["gradients"] - before["gradients"] == 500 * 500 * 4
    assert "parameters" in str(memory.summary())


def test_memory_that_one_op_keeps_several_views_of_is_let_go_once():
    x = torch.randn(2, 8, 4, requires_grad=True)
    with memory.track() as m:
        q = x * 1
        torch.nn.functional.scaled_dot_product_attention(q, q, q).sum().backward()
    assert m.saved_peak > 0 and m.saved_now == 0
