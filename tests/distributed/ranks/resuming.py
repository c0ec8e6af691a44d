"""Trains with a checkpoint after every step; a rank of the first start is killed on its way."""

import os
import signal
import sys

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch.nn.parallel import DistributedDataParallel as DDP

dist.init_process_group("gloo")
folder, attempt = sys.argv[1], int(os.environ["TORCHELASTIC_RESTART_COUNT"])


def made(wrap):
    torch.manual_seed(0)
    model = wrap(torch.nn.Linear(5, 2))
    return model, torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)


def advance(model, optimizer, step):
    torch.manual_seed(step)
    optimizer.zero_grad()
    model(torch.randn(4, 5)).square().mean().backward()
    optimizer.step()


model, optimizer = made(DDP)
first = 0
if attempt:
    state = {"model": model.state_dict(), "momentum": torch.zeros(2, 5), "step": -1}
    state["bias"] = torch.zeros(2)
    dcp.load(state, checkpoint_id=folder)
    model.load_state_dict(state["model"])
    optimizer.state[model.module.weight]["momentum_buffer"] = state["momentum"]
    optimizer.state[model.module.bias]["momentum_buffer"] = state["bias"]
    first = state["step"] + 1
for step in range(first, 6):
    if attempt == 0 and step == 3 and dist.get_rank() == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    advance(model, optimizer, step)
    states = [optimizer.state[p]["momentum_buffer"] for p in model.parameters()]
    state = {"model": model.state_dict(), "momentum": states[0], "bias": states[1], "step": step}
    dcp.save(state, checkpoint_id=folder)
alone, optimizer = made(lambda module: module)
for step in range(6):
    advance(alone, optimizer, step)
assert first == 3 * (attempt > 0), first
assert torch.allclose(alone.weight, model.module.weight, atol=1e-6)
print("finished", dist.get_rank(), "from", first)
