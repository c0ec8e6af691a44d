"""Sharded training against one process; checkpoints that others read; tensor parallel layers."""

import os
import sys

import chainrule.distributed.checkpoint as dcp
import numpy as np
from chainrule.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
from chainrule.distributed.fsdp.wrap import ModuleWrapPolicy
from chainrule.distributed.optim import ZeroRedundancyOptimizer
from chainrule.distributed.tensor.parallel import (
    ColwiseParallel,
    RowwiseParallel,
    parallelize_module,
)

import chainrule as torch
import chainrule.distributed as dist
from chainrule import nn
from chainrule.distributed.fsdp import FullyShardedDataParallel, fully_shard
from chainrule.nn.parallel import DistributedDataParallel as DDP

dist.init_process_group("gloo")
RANK, SIZE = dist.get_rank(), dist.get_world_size()
EACH = 4


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm, self.up, self.down = (
            nn.LayerNorm(width), nn.Linear(width, 3 * width), nn.Linear(3 * width, width),
        )  # fmt: skip

    def forward(self, x):
        return x + self.down(torch.relu(self.up(self.norm(x))))


def net(width=7):
    torch.manual_seed(1)
    return nn.Sequential(nn.Linear(5, width), Block(width), Block(width), nn.Linear(width, 3))


def batch(step):
    rng = np.random.default_rng(step)
    n = EACH * SIZE
    return torch.tensor(rng.normal(size=(n, 5))).float(), torch.tensor(rng.integers(0, 3, n))


def mine(t):
    return t[RANK * EACH : (RANK + 1) * EACH]


def train(model, optimizer, share, steps=8, clip=None, start=0):
    for step in range(start, start + steps):
        x, y = batch(step)
        optimizer.zero_grad()
        out = model(mine(x) if share else x)
        nn.functional.cross_entropy(out, mine(y) if share else y).backward()
        if clip:
            nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()


def adam(model):
    return torch.optim.AdamW(model.parameters(), lr=0.01)


def alone(clip=None, steps=8):
    model = net()
    train(model, adam(model), False, steps, clip)
    return {k: v.detach().numpy() for k, v in model.state_dict().items()}


def same(got, want, what):
    assert list(got) == list(want), (what, list(got))
    for name, value in want.items():
        np.testing.assert_allclose(got[name].numpy(), value, rtol=2e-4, atol=2e-5, err_msg=what)


def check_zero():
    model = DDP(net())
    optimizer = ZeroRedundancyOptimizer(model.parameters(), torch.optim.AdamW, lr=0.01)
    train(model, optimizer, True)
    same(model.module.state_dict(), alone(), "ZeRO")
    held = sum(v.numel() for s in optimizer.optim.state.values() for v in s.values())
    whole = 2 * sum(p.numel() for p in model.parameters())
    assert held < 0.75 * whole, (held, whole)
    optimizer.consolidate_state_dict(0)
    if RANK == 0:
        state = optimizer.state_dict()
        assert len(state["state"]) == len(list(model.parameters()))
        plain = adam(net())
        plain.load_state_dict(state)
    holder = [optimizer.state_dict() if RANK == 0 else None]
    dist.broadcast_object_list(holder, 0)
    again = ZeroRedundancyOptimizer(model.parameters(), torch.optim.AdamW, lr=0.5)
    again.load_state_dict(holder[0])
    train(model, again, True, 2, start=8)
    same(model.module.state_dict(), alone(steps=10), "ZeRO loaded")


def sharded():
    model = net()
    for module in model:
        if isinstance(module, Block):
            fully_shard(module)
    return fully_shard(model)


def check_fully_shard():
    model = sharded()
    rows = [p.to_local().shape[0] for p in model.parameters()]
    assert rows[0] <= -(-7 // SIZE), rows
    optimizer = adam(model)
    train(model, optimizer, True, clip=0.5)
    groups = [m._sharded_group for m in model.modules() if hasattr(m, "_sharded_group")]
    assert len(groups) == 3 and all(g.full is None for g in groups)
    options = dcp.state_dict.StateDictOptions(full_state_dict=True)
    full = dcp.state_dict.get_model_state_dict(model, options=options)
    same(full, alone(clip=0.5), "fully_shard")
    wrapped = FullyShardedDataParallel(net(), auto_wrap_policy=ModuleWrapPolicy({Block}))
    train(wrapped, adam(wrapped), True)
    same(wrapped.state_dict(), alone(), "FullyShardedDataParallel")
    wrapped.load_state_dict(net().state_dict())
    same(wrapped.state_dict(), {k: v.numpy() for k, v in net().state_dict().items()}, "loaded")


def check_checkpoint(folder, job):
    """Saved by one number of ranks, loaded by another, training goes on as if never stopped."""
    model = sharded()
    optimizer = adam(model)
    if job == "save":
        for _ in range(2):  # the second takes the place of the first
            model_state, optimizer_state = get_state_dict(model, optimizer)
            dcp.save({"model": model_state, "optim": optimizer_state, "step": 8},
                     checkpoint_id=folder)  # fmt: skip
            optimizer.zero_grad()
        whole_batch_steps(model, optimizer, range(3))
        model_state, optimizer_state = get_state_dict(model, optimizer)
        state = {"model": model_state, "optim": optimizer_state, "step": 3}
        dcp.save(state, checkpoint_id=folder)
        return
    whole_batch_steps(model, optimizer, range(100, 101))  # another state, to be replaced
    model_state, optimizer_state = get_state_dict(model, optimizer)
    state = {"model": model_state, "optim": optimizer_state, "step": -1}
    dcp.load(state, checkpoint_id=folder)
    assert state["step"] == 3
    set_state_dict(model, optimizer, model_state_dict=state["model"],
                   optim_state_dict=state["optim"])  # fmt: skip
    whole_batch_steps(model, optimizer, range(3, 5))
    options = dcp.state_dict.StateDictOptions(full_state_dict=True)
    full = dcp.state_dict.get_model_state_dict(model, options=options)
    plain = net()
    whole_batch_steps(plain, adam(plain), range(5))
    same(full, {k: v.detach().numpy() for k, v in plain.state_dict().items()}, "resumed")


def whole_batch_steps(model, optimizer, steps):
    """Every rank computes the same batch: the number of ranks does not matter."""
    for step in steps:
        rng = np.random.default_rng(step)
        x, y = torch.tensor(rng.normal(size=(6, 5))).float(), torch.tensor(rng.integers(0, 3, 6))
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()


def check_tensor_parallel():
    torch.manual_seed(2)
    plain = nn.Sequential(nn.Linear(4, 6 * SIZE), nn.GELU(), nn.Linear(6 * SIZE, 3))
    torch.manual_seed(2)
    cut = nn.Sequential(nn.Linear(4, 6 * SIZE), nn.GELU(), nn.Linear(6 * SIZE, 3))
    mesh = dist.init_device_mesh("cpu", (SIZE,))
    parallelize_module(cut, mesh, {"0": ColwiseParallel(), "2": RowwiseParallel()})
    assert cut[0].weight.to_local().shape == (6, 4) and cut[2].weight.to_local().shape == (3, 6)
    x = torch.ones(2, 4, requires_grad=True)
    z = torch.ones(2, 4, requires_grad=True)
    a, b = cut(x), plain(z)
    assert torch.allclose(a, b, atol=1e-5)
    a.square().sum().backward()
    b.square().sum().backward()
    assert torch.allclose(x.grad, z.grad, atol=1e-4)
    own = slice(6 * RANK, 6 * RANK + 6)
    assert torch.allclose(cut[0].weight.grad.to_local(), plain[0].weight.grad[own], atol=1e-4)
    assert torch.allclose(cut[2].weight.grad.to_local(), plain[2].weight.grad[:, own], atol=1e-4)
    assert torch.allclose(cut[2].bias.grad.full_tensor(), plain[2].bias.grad, atol=1e-4)


if len(sys.argv) > 1 and os.path.isdir(os.path.dirname(sys.argv[1])):
    check_checkpoint(sys.argv[1], sys.argv[2])
else:
    check_zero()
    check_fully_shard()
    check_tensor_parallel()
dist.destroy_process_group()
print(f"rank {RANK} is content")
