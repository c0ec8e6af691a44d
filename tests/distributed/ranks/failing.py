"""Ends early in the way its first argument names, on the last rank, while the others wait."""

import os
import signal
import sys
import time

import torch
import torch.distributed as dist

how = sys.argv[1]
rank, size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
if how == "early" and rank == size - 1:
    raise ValueError("before the group is made")
if how == "absent" and rank == size - 1:
    sys.exit(0)
dist.init_process_group("gloo")
dist.all_reduce(torch.ones(3))
if rank == size - 1:
    if how == "raise":
        raise ValueError("this rank is broken")
    if how == "at-length":
        raise ValueError("\n".join(f"detail {i}" for i in range(5000)) + "\nits last" + " word")
    if how == "exit":
        sys.exit(3)
    if how == "leave":
        sys.exit(0)
    if how == "hard":
        os._exit(0)
    if how == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
if how == "slow" and rank == size - 1:
    time.sleep(2.5)
if how == "mismatch":
    if rank == 0:
        dist.all_reduce(torch.ones(2))
    else:
        dist.all_reduce(torch.ones(3))
dist.all_reduce(torch.ones(3))
print("finished", rank)
