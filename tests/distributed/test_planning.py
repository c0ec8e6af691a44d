"""Predictions for more processes, against figures worked out by hand."""

import time

import pytest

import chainrule as torch
import chainrule.distributed as dist
from chainrule.distributed import planning
from chainrule.distributed.memory import Lent

_SHARES = (0.05, 0.1, 0.15, 0.2, 0.3, 1.0)


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
    # 1024 bytes each: parameters, gradients, buckets and two states; half of the states; half of
    # all but buckets, with the parameters and gradients that compute.
    assert (ddp.memory, zero.memory, sharded.memory) == (5120, 4096, 4096)
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


def test_buckets_travel_from_when_their_gradients_were_seen_to_be_there():
    model = torch.nn.Sequential(*[torch.nn.Linear(8, 8) for _ in range(3)])
    profile = planning._profiled(model, torch.ones(2, 8), None)
    seen = [p for p, _ in profile.arrivals]
    layers = [
        next(k for k, layer in enumerate(model) if p in set(layer.parameters())) for p in seen
    ]
    assert layers == [2, 2, 1, 1, 0, 0]  # last layer first
    shares = [share for _, share in profile.arrivals]
    assert shares == sorted(shares) and 0 < shares[0] and shares[-1] <= 1
    # A second of backward, three messages of a second each, full after 0.1, 0.2 and 1.0 of it.
    made = planning._Profile(1.5, 2 / 3, tuple(zip(seen, _SHARES, strict=True)))
    # Limits of 100 bytes: a bias waits for the weight after it, which fills the bucket.
    buckets = planning._buckets(model, made, 1e-4)
    assert buckets[-1][1] == 1.0 and sum(size for size, _ in buckets) == 3 * 72 * 4
    assert planning._exposed(made, (0.1, 0.2, 1.0), (0.3, 0.3, 0.3)) == pytest.approx(0.3)
    assert planning._exposed(made, (0.1, 0.2, 1.0), (1.0, 1.0, 1.0)) == pytest.approx(2.1)


def test_a_whole_step_is_measured_where_it_is_given():
    calls = []
    found = dist.estimate(
        torch.nn.Linear(8, 8), torch.ones(2, 8), 2, 1e9, 0.0,
        step=lambda: calls.append(time.sleep(0.003)),
    )  # fmt: skip
    assert found[0].compute >= 0.003 and len(calls) == 9
