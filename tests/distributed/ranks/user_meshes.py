"""Sharded, tensor parallel and both at once, as users of DTensors write it; prints losses."""

import os
import tempfile

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FSDPModule, fully_shard
from torch.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    PrepareModuleInput,
    RowwiseParallel,
    SequenceParallel,
    parallelize_module,
)


class Feed(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.w1, self.w2 = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, x):
        return self.w2(F.silu(self.w1(x)))


class Block(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.norm, self.feed = nn.LayerNorm(width), Feed(width)

    def forward(self, x):
        return x + self.feed(self.norm(x))


class Model(nn.Module):
    def __init__(self, words=12, width=8):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.layers = nn.ModuleList([Block(width) for _ in range(2)])
        self.head = nn.Linear(width, words, bias=False)
        self.head.weight = self.embed.weight  # tied

    def forward(self, tokens):
        x = self.embed(tokens)
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


def steps(name, model, optimizer, number, group=None, first=0, accumulate=1):
    for step in range(first, first + 3):
        for part in range(accumulate):
            generator = torch.Generator().manual_seed(100 * step + 10 * part + number)
            tokens = torch.randint(0, 12, (4, 5), generator=generator)
            if accumulate > 1:
                model.set_requires_gradient_sync(part == accumulate - 1)
            out = model(tokens[:, :-1])
            out = out.full_tensor() if isinstance(out, DTensor) else out
            loss = F.cross_entropy(out.flatten(0, 1), tokens[:, 1:].flatten()) / accumulate
            loss.backward()
        norm = torch.zeros(())
        if accumulate > 1:  # parameters that lie in one mesh
            norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0).full_tensor()
        optimizer.step()
        optimizer.zero_grad()
        shown = loss.detach().clone()
        dist.all_reduce(shown, group=group)
        if dist.get_rank() == 0:
            size = dist.get_world_size(group)
            print(f"{name} {shown.item() / size:.6f} {norm.item():.6f}", flush=True)


def cut(model, mesh):
    plan = {
        "norm": SequenceParallel(),
        "feed": PrepareModuleInput(input_layouts=(Shard(1),), desired_input_layouts=(Replicate(),)),
        "feed.w1": ColwiseParallel(),
        "feed.w2": RowwiseParallel(output_layouts=Shard(1)),
    }
    for layer in model.layers:
        layer.norm.register_forward_pre_hook(
            lambda module, args: (
                DTensor.from_local(args[0], mesh, [Replicate()]).redistribute(
                    placements=[Shard(1)]
                ),
            )
        )
        parallelize_module(layer, mesh, plan)
        layer.feed.register_forward_hook(
            lambda module, args, out: DTensor.from_local(out, mesh, [Shard(1)]).full_tensor()
        )
    return model


def sharded(mesh, model):
    for layer in model.layers:
        fully_shard(layer, mesh=mesh)
    return fully_shard(model, mesh=mesh)


def fresh():
    torch.manual_seed(3)
    return Model()


def main():
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    model = sharded(init_device_mesh("cpu", (world,)), fresh())
    assert isinstance(model, FSDPModule) and model.embed.weight.shape == (12, 8)
    assert all(p.placements == (Shard(0),) for p in model.parameters())
    steps("sharded", model, torch.optim.AdamW(model.parameters(), lr=1e-2), rank, accumulate=2)

    mesh = init_device_mesh("cpu", (2, world // 2), mesh_dim_names=("dp", "tp"))
    model = sharded(mesh["dp"], cut(fresh(), mesh["tp"]))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2, foreach=False)
    group, place = mesh["dp"].get_group(), mesh["dp"].get_local_rank()
    steps("both", model, optimizer, place, group)
    folder = [tempfile.mkdtemp() if rank == 0 else None]
    dist.broadcast_object_list(folder)
    states = get_state_dict(model, optimizer)
    where = os.path.join(folder[0], "state")
    dcp.save({"model": states[0], "optimizer": states[1]}, checkpoint_id=where)
    model = sharded(mesh["dp"], cut(fresh(), mesh["tp"]))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.5, foreach=False)
    states = dict(zip(("model", "optimizer"), get_state_dict(model, optimizer), strict=True))
    dcp.load(states, checkpoint_id=where)
    set_state_dict(
        model, optimizer, model_state_dict=states["model"], optim_state_dict=states["optimizer"]
    )
    steps("again", model, optimizer, place, group, first=3)

    line = init_device_mesh("cpu", (world,))
    weight = distribute_tensor(torch.arange(24.0).reshape(6, 4) / 10, line, [Shard(0)])
    weight.requires_grad_()
    loss = (weight @ weight.t()).softmax(-1).diagonal().sum()
    loss.backward()
    shown = weight.grad.full_tensor().abs().sum().item(), loss.full_tensor().item()
    if rank == 0:
        print(f"tensors {shown[0]:.6f} {shown[1]:.6f} {weight.grad.placements}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
