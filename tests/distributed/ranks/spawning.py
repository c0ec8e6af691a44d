"""As in many tutorials: the script starts its processes itself."""

import os
import sys

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.nn.parallel import DistributedDataParallel as DDP


def setup(rank, world_size):
    os.environ["MASTER_ADDR"] = "localhost"
    os.environ["MASTER_PORT"] = "12355"
    dist.init_process_group("gloo", rank=rank, world_size=world_size)


def demo(rank, world_size, fails):
    setup(rank, world_size)
    torch.manual_seed(0)
    model = DDP(torch.nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(3):
        optimizer.zero_grad()
        loss = model(torch.ones(2, 4) * (rank + step)).square().mean()
        loss.backward()
        optimizer.step()
    if fails and rank == 1:
        raise ValueError("rank 1 is broken")
    print(f"rank {rank} of {dist.get_world_size()}: {model.module.weight.sum().item():.6f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    mp.spawn(demo, args=(2, "fails" in sys.argv), nprocs=2, join=True)
    print("joined")
