"""Sharded and tensor parallel training as users write it; prints the losses of rank 0."""

import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from torch.nn.parallel import DistributedDataParallel as DDP


class Block(nn.Module):
    def __init__(self, width=12):
        super().__init__()
        self.up, self.down = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, x):
        return x + self.down(F.gelu(self.up(x)))


def model():
    torch.manual_seed(5)
    return nn.Sequential(nn.Linear(6, 12), Block(), Block(), nn.Linear(12, 3))


def batch(step, rank):
    generator = torch.Generator().manual_seed(100 * step + rank)
    return (
        torch.randn(8, 6, generator=generator),
        torch.randint(0, 3, (8,), generator=generator),
    )


def train(name, net, optimizer, rank, share=True):
    for step in range(4):
        inputs, targets = batch(step, rank if share else 0)
        loss = F.cross_entropy(net(inputs), targets)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        shown = loss.detach().clone()
        dist.all_reduce(shown)
        if rank == 0:
            print(f"{name} {shown.item() / dist.get_world_size():.6f}", flush=True)


def main():
    dist.init_process_group("gloo")
    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    mesh = init_device_mesh("cpu", (world,))

    net = model()
    for module in net:
        if isinstance(module, Block):
            fully_shard(module, mesh=mesh)
    fully_shard(net, mesh=mesh)
    train("sharded", net, torch.optim.AdamW(net.parameters(), lr=1e-2), rank)

    net = DDP(model())
    optimizer = ZeroRedundancyOptimizer(net.parameters(), torch.optim.AdamW, lr=1e-2)
    train("zero", net, optimizer, rank)

    net = DDP(model())
    net.register_comm_hook(None, default_hooks.fp16_compress_hook)
    train("fp16", net, torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9), rank)

    net = model()
    plan = {"up": ColwiseParallel(), "down": RowwiseParallel()}
    for module in net:
        if isinstance(module, Block):
            parallelize_module(module, mesh, plan)
    train("parallel", net, torch.optim.SGD(net.parameters(), lr=0.1), rank, share=False)

    net = DDP(nn.Linear(6, 3))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    with net.join():
        for step in range(2 + rank):  # ranks with different numbers of batches
            inputs, targets = batch(step, rank)
            loss = F.cross_entropy(net(inputs), targets)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
    total = net.module.weight.detach().abs().sum()
    if rank == 0:
        print(f"joined {total.item():.6f}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
