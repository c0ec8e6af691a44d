"""Tensors between processes: shared memory, queues, and PyTorch's spawn."""

import gc
import os
import signal
import sys

import pytest

import chainrule as torch
from chainrule import multiprocessing as mp


def add_one(tensor):
    tensor += 1


def answer(inbox, outbox):
    for tensor in iter(inbox.get, None):
        tensor *= 2
        outbox.put(tensor.dtype is torch.bfloat16)


def test_shared_memory_is_seen_by_forked_processes():
    kept, shared = torch.zeros(3), torch.zeros(3).share_memory_()
    assert shared.is_shared() and not kept.is_shared()
    for tensor in (kept, shared):
        process = mp.get_context("fork").Process(target=add_one, args=(tensor,))
        process.start()
        process.join()
        assert process.exitcode == 0
    assert kept.tolist() == [0.0, 0.0, 0.0] and shared.tolist() == [1.0, 1.0, 1.0]


def test_sharing_keeps_values_strides_and_flags():
    base = torch.arange(12.0).reshape(3, 4)
    view = base.t()[1:].share_memory_()
    assert torch.equal(view, base.t()[1:]) and view.stride() == (1, 4)
    assert view.storage_offset() == 1
    weight = torch.nn.Parameter(torch.ones(2)).share_memory_()
    assert weight.requires_grad and isinstance(weight, torch.nn.Parameter)
    assert torch.zeros(0, 3).share_memory_().shape == (0, 3)
    assert torch.ones(2, device="meta").share_memory_().is_meta


def test_descriptors_are_closed_with_the_tensor():
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(50):
        torch.zeros(10).share_memory_()
    gc.collect()
    assert len(os.listdir("/proc/self/fd")) <= before + 1


def test_a_queue_shares_what_is_put_on_it():
    context = mp.get_context("fork")
    inbox, outbox = context.Queue(), context.Queue()
    process = context.Process(target=answer, args=(inbox, outbox))
    process.start()
    whole = torch.arange(6.0).reshape(2, 3)
    half = torch.ones(3, dtype=torch.bfloat16)
    inbox.put(whole)
    assert outbox.get(timeout=30) is False
    inbox.put(half)
    assert outbox.get(timeout=30) is True
    inbox.put(None)
    process.join(30)
    assert whole.tolist() == [[0.0, 2.0, 4.0], [6.0, 8.0, 10.0]] and half.tolist() == [2.0] * 3


def test_results_with_history_are_refused():
    from multiprocessing.reduction import ForkingPickler

    result = torch.ones(2, requires_grad=True) * 2
    with pytest.raises(RuntimeError, match="Cowardly refusing to serialize non-leaf tensor") as bad:
        ForkingPickler.dumps(result)
    assert "MulBackward0" in str(bad.value)


def work(rank, shared):
    shared[rank] = rank + 1.0


def fail(rank, how):
    if rank == 1:
        if how == "raise":
            raise ValueError("rank 1 does not like this")
        if how == "exit":
            sys.exit(3)
        os.kill(os.getpid(), signal.SIGKILL)


def test_spawn_runs_a_function_per_rank():
    shared = torch.zeros(2).share_memory_()
    assert mp.spawn(work, args=(shared,), nprocs=2, start_method="fork") is None
    assert shared.tolist() == [1.0, 2.0]
    assert mp.spawn(work, args=(shared,)) is None  # a new interpreter


@pytest.mark.parametrize(
    ("how", "error", "phrase"),
    [
        ("raise", mp.ProcessRaisedException, "-- Process 1 terminated with the following error:"),
        ("exit", mp.ProcessExitedException, "process 1 terminated with exit code 3"),
        ("kill", mp.ProcessExitedException, "process 1 terminated with signal SIGKILL"),
    ],
)
def test_a_failure_of_a_spawned_process_is_raised(how, error, phrase):
    context = mp.start_processes(fail, (how,), nprocs=2, join=False, start_method="fork")
    assert len(context.pids()) == 2
    with pytest.raises(error, match=phrase) as caught:
        while not context.join():
            pass
    assert caught.value.error_index == 1 and caught.value.pid == context.pids()[1]
    if how == "raise":
        assert "rank 1 does not like this" in str(caught.value)


def test_strategies_can_be_named():
    assert mp.get_sharing_strategy() in mp.get_all_sharing_strategies()
    before = mp.get_sharing_strategy()
    mp.set_sharing_strategy("file_system")
    assert mp.get_sharing_strategy() == "file_system"
    mp.set_sharing_strategy(before)
    with pytest.raises(ValueError, match="unknown sharing strategy 'x'"):
        mp.set_sharing_strategy("x")


def test_the_names_of_multiprocessing_are_there():
    import multiprocessing

    assert mp.Process is multiprocessing.Process
    for name in ("Queue", "Pool", "get_context", "set_start_method", "cpu_count", "Manager"):
        assert getattr(mp, name) == getattr(multiprocessing, name)
