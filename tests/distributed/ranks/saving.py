"""Trains and saves all the time, until it is killed; or says whether the last save is whole."""

import sys

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch.distributed.fsdp import fully_shard

dist.init_process_group("gloo")
folder, job = sys.argv[1:]
model = fully_shard(torch.nn.Linear(300, 40))
if job == "load":
    state = {"model": model.state_dict(), "step": -1}
    dcp.load(state, checkpoint_id=folder)
    value = float(state["step"])
    assert all(bool((t == value).all()) for t in state["model"].values())
    print("whole", state["step"])
    dist.destroy_process_group()
    sys.exit(0)
print("begun", flush=True)
for step in range(100_000):
    with torch.no_grad():
        for p in model.parameters():
            p.fill_(float(step))
    dcp.save({"model": model.state_dict(), "step": step}, checkpoint_id=folder)
    if step == 0:
        print("saved", flush=True)
