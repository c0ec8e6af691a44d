"""Predictions for more processes, against figures worked out by hand."""

import pytest

import chainrule as torch
import chainrule.distributed as dist
from chainrule.distributed import planning
from chainrule.distributed.memory import Lent


def test_messages_take_latency_and_bandwidth():
    # 4 ranks, 8 bytes per second, 1 second of latency, 80 bytes.
    assert planning.all_reduce_seconds(80, 4, 8.0, 1.0) == pytest.approx(4 + 2 * 3 / 4 * 80 / 8)
    assert planning.all_reduce_seconds(80, 1, 8.0, 1.0) == 0
    assert planning.gather_seconds(80, 4, 8.0, 1.0) == pytest.approx(2 + 3 / 4 * 10)


def test_a_step_waits_for_what_computing_does_not_hide():
    model = torch.nn.Linear(255, 1, bias=False)
    model.bias = torch.nn.Parameter(torch.zeros(1))  # 1024 bytes in one bucket
    slow = dist.estimate(model, None, 2, 1024.0, 0.0, compute=3.0)
    ddp, zero, sharded = slow
    # One bucket, full at the end of backward: all of its second is waited for.
    assert ddp.communication == ddp.exposed == pytest.approx(1.0)
    assert ddp.step == pytest.approx(4.0) and ddp.efficiency == pytest.approx(0.75)
    assert (ddp.memory, zero.memory, sharded.memory) == (4096, 3072, 3072)
    two = dist.estimate(model, None, [2], 1024.0, 0.0, compute=3.0, bucket_cap_mb=1e-6)[0]
    assert two.exposed < 0.01 * two.communication + 1.0 and two.overlap >= 0


def test_computing_is_measured_and_gradients_are_left_alone():
    model = torch.nn.Linear(4, 4)
    found = dist.estimate(model, torch.ones(2, 4), [1, 1024], 1e9, 1e-6)
    assert found[0].compute > 0 and model.weight.grad is None
    assert [e.strategy for e in found[:3]] == ["ddp", "zero", "sharded"]
    assert found[0].efficiency == 1.0 and found[3].efficiency < 1.0
    assert "1024 ddp" in str(found[3])


def test_memory_in_one_piece_is_lent_without_a_copy():
    x = torch.arange(12.0).reshape(3, 4)
    for whole in (x, x[1:], torch.ones(3, dtype=torch.bfloat16), torch.tensor(2.0)):
        lent = Lent(whole, "test").array
        assert lent.ctypes.data == whole.data_ptr() and lent.ndim == 1
    columns = Lent(x[:, 1:3], "test")
    columns.array[...] = -1
    columns.give_back()
    assert x.tolist() == [[4 * i, -1, -1, 4 * i + 3] for i in range(3)]
