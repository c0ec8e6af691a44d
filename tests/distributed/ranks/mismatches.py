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


def shapes(group=None):
    if RANK == 0:
        dist.all_reduce(torch.ones(2), group=group)
    else:
        dist.all_reduce(torch.ones(3), group=group)


def dtypes(group=None):
    if RANK == 0:
        dist.all_reduce(torch.ones(2), group=group)
    else:
        dist.all_reduce(torch.ones(2, dtype=torch.float64), group=group)


def ops(group=None):
    if RANK == 0:
        dist.all_reduce(torch.ones(2), op=dist.ReduceOp.MAX, group=group)
    else:
        dist.all_reduce(torch.ones(2), op=dist.ReduceOp.SUM, group=group)


def roots(group=None):
    if RANK == 0:
        dist.broadcast(torch.ones(2), src=0, group=group)
    else:
        dist.broadcast(torch.ones(2), src=1, group=group)


def order(group=None):
    if RANK == 0:
        dist.barrier(group)
        dist.all_reduce(torch.ones(4), group=group)
    else:
        dist.all_reduce(torch.ones(4), group=group)
        dist.barrier(group)


def kinds(group=None):
    """Elements of other sizes: some MPI libraries end the process when they arrive."""
    if RANK == 0:
        dist.broadcast(torch.ones(1), 0, group)
    else:
        dist.broadcast(torch.ones(1, dtype=torch.int64), 0, group)


def later(group=None):
    """Nobody waits where the calls differ, but further on."""
    if RANK == 0:
        work = dist.all_reduce(torch.ones(5, dtype=torch.bfloat16), group=group, async_op=True)
    else:
        work = dist.all_gather([torch.ones(2)] * 2, torch.ones(2), group, async_op=True)
    sum(range(10_000))
    work.wait()


def objects(group=None):
    if RANK == 0:
        dist.broadcast_object_list(["something"], 0, group)
    else:
        dist.all_gather_object([None, None], "something", group)


CASES = {
    shapes: ["in shapes: dist.all_reduce(torch.ones(2)", "torch.ones(3)", "Tensor shapes"],
    dtypes: ["in dtypes: dist.all_reduce(torch.ones(2)", "torch.float64)", "Tensor dtypes"],
    ops: ["op=dist.ReduceOp.MAX", "op=dist.ReduceOp.SUM", "Reduce op"],
    roots: ["src=0", "src=1", "Root"],
    order: ["in order: dist.barrier(", "in order: dist.all_reduce(torch.ones(4)", "Op type"],
    kinds: ["in kinds: dist.broadcast(torch.ones(1)", "dtype=torch.int64)", "Tensor dtypes"],
    later: ["in later: work = dist.all_reduce(", "in later: work = dist.all_gather(", "Op type"],
    objects: ['broadcast_object_list(["something"]', "all_gather_object([None", "Op type"],
}
for case, words in CASES.items():
    fails(case, *words)

# Without debugging too. Nothing is begun that does not fit: the group can go on.
dist.set_debug_level(dist.DebugLevel.OFF)
among = dist.new_group([0, 1])
for case, words in CASES.items():
    fails(lambda case=case: case(among), *words)
    counted = torch.ones(3)
    dist.all_reduce(counted, group=among)
    assert counted.tolist() == [2.0, 2.0, 2.0]

# Shapes of as many elements are one memory to a collective.
alike = torch.ones(6) if RANK else torch.ones(2, 3)
dist.all_reduce(alike)
assert alike.unique().tolist() == [2.0]

# Parts that do not fit into the room for them.
sizes = [2, 2] if RANK == 0 else [3, 1]
among = dist.new_group([0, 1])
try:
    dist.all_to_all_single(torch.ones(4), torch.ones(4), [2, 2], sizes, group=among)
except RuntimeError as problem:
    sent, room = (3, 2) if RANK == 0 else (1, 2)
    words = f"rank 1 of the group sends {sent} elements to rank {RANK}, which has room for {room}"
    assert words in str(problem), problem
else:
    raise AssertionError("parts that do not fit were exchanged")

# A message that is longer or shorter than the tensor that waits for it.
for length in (3, 5):
    if RANK == 0:
        dist.send(torch.ones(length), 1)
        continue
    try:
        dist.recv(torch.zeros(4), 0)
    except RuntimeError as problem:
        assert "recv: a tensor of 16 bytes waits for" in str(problem), problem
    else:
        raise AssertionError("a message was received that does not fit")

# A collective goes on while the program does something else: nobody waits for it here.
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
