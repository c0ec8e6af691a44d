"""Calls that do not fit are errors on every rank, with the lines of both; late ranks are named."""

import datetime
import threading

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
RANK = dist.get_rank()


def fails(call, *words):
    """The error of a call, on this rank; the program can go on after it."""
    try:
        call()
    except RuntimeError as problem:
        for word in ("Detected mismatch", *words):
            assert word in str(problem), (word, str(problem))
    else:
        raise AssertionError(f"no error: {words}")


def shapes():
    if RANK == 0:
        dist.all_reduce(torch.ones(2))
    else:
        dist.all_reduce(torch.ones(3))


def dtypes():
    if RANK == 0:
        dist.all_reduce(torch.ones(2))
    else:
        dist.all_reduce(torch.ones(2, dtype=torch.float64))


def ops():
    if RANK == 0:
        dist.all_reduce(torch.ones(2), op=dist.ReduceOp.MAX)
    else:
        dist.all_reduce(torch.ones(2), op=dist.ReduceOp.SUM)


def roots():
    if RANK == 0:
        dist.broadcast(torch.ones(2), src=0)
    else:
        dist.broadcast(torch.ones(2), src=1)


def order():
    if RANK == 0:
        dist.barrier()
        dist.all_reduce(torch.ones(4))
    else:
        dist.all_reduce(torch.ones(4))
        dist.barrier()


fails(shapes, "in shapes: dist.all_reduce(torch.ones(2))", "torch.ones(3))", "Tensor shapes")
fails(dtypes, "in dtypes: dist.all_reduce(torch.ones(2))", "torch.float64)", "Tensor dtypes")
fails(ops, "op=dist.ReduceOp.MAX)", "op=dist.ReduceOp.SUM)", "Reduce op")
fails(roots, "src=0)", "src=1)", "Root")
fails(order, "in order: dist.barrier()", "in order: dist.all_reduce(torch.ones(4))", "Op type")

# A collective goes on while the program does something else: nobody waits for it here.
dist.set_debug_level(dist.DebugLevel.OFF)
done = threading.Event()
big = torch.ones(300_000)
work = dist.all_reduce(big, async_op=True)
work.get_future().add_done_callback(lambda future: done.set())
assert done.wait(120.0), "nothing happened while the program did something else"
assert bool((big == dist.get_world_size()).all())

# Rank 1 does not come before rank 0 has said that it is late.
said = torch.zeros(1)
if RANK == 0:
    try:
        dist.monitored_barrier(timeout=datetime.timedelta(seconds=0.3))
    except RuntimeError as problem:
        assert "Rank 1 failed to pass monitoredBarrier in 300 ms" in str(problem), problem
        said += 1
    dist.send(said, 1)
    assert said.item() == 1
else:
    dist.recv(said, 0)
    assert said.item() == 1
print(f"rank {RANK} is content")
