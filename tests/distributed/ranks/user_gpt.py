"""A small language model as users train it with torchrun: accumulation, schedule, checkpoint."""

import argparse
import contextlib
import math
import os
import tempfile

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn import functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler


class Words(Dataset):
    def __init__(self, length=12, size=48):
        generator = torch.Generator().manual_seed(7)
        start = torch.randint(0, 20, (size, 1), generator=generator)
        self.tokens = (start + torch.arange(length + 1) * 3) % 23

    def __len__(self):
        return len(self.tokens)

    def __getitem__(self, i):
        return self.tokens[i, :-1], self.tokens[i, 1:]


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.proj = nn.Linear(width, 3 * width, bias=False), nn.Linear(width, width)
        self.mlp = nn.Sequential(
            nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width)
        )
        self.heads = heads

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(self.ln1(x)).view(b, t, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(y.transpose(1, 2).reshape(b, t, c))
        return x + self.mlp(self.ln2(x))


class GPT(nn.Module):
    def __init__(self, words=23, width=16, length=12):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(words, width), nn.Embedding(length, width)
        self.blocks = nn.ModuleList([Block(width, 2) for _ in range(2)])
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, words, bias=False)
        self.head.weight = self.wte.weight

    def forward(self, tokens, targets=None):
        x = self.wte(tokens) + self.wpe(torch.arange(tokens.size(1)))
        for block in self.blocks:
            x = block(x)
        logits = self.head(self.norm(x))
        if targets is None:
            return logits
        return F.cross_entropy(logits.view(-1, logits.size(-1)), targets.reshape(-1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--accumulate", type=int, default=2)
    options = parser.parse_args()
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(1234)
    data = Words()
    sampler = DistributedSampler(data, shuffle=True, seed=3)
    loader = DataLoader(data, batch_size=4, sampler=sampler, drop_last=True)
    model = DDP(GPT(), gradient_as_bucket_view=True)
    decay = [p for p in model.parameters() if p.dim() > 1]
    rest = [p for p in model.parameters() if p.dim() <= 1]
    optimizer = torch.optim.AdamW(
        [{"params": decay, "weight_decay": 0.1}, {"params": rest, "weight_decay": 0.0}],
        lr=3e-3, betas=(0.9, 0.95),
    )  # fmt: skip
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: 0.5 * (1 + math.cos(math.pi * step / 20))
    )
    folder = [tempfile.mkdtemp() if rank == 0 else None]
    dist.broadcast_object_list(folder, src=0)
    path = os.path.join(folder[0], "checkpoint.pt")
    step = 0
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for number, (tokens, targets) in enumerate(loader):
            last = (number + 1) % options.accumulate == 0
            with contextlib.nullcontext() if last else model.no_sync():
                loss = model(tokens, targets) / options.accumulate
                loss.backward()
            if last:
                norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
                optimizer.step()
                schedule.step()
                optimizer.zero_grad(set_to_none=True)
                step += 1
                seen = loss.detach() * options.accumulate
                dist.all_reduce(seen, op=dist.ReduceOp.SUM)
                if rank == 0:
                    print(f"loss {seen.item() / world:.7f} norm {norm.item():.6f}", flush=True)
        if rank == 0:
            state = {"model": model.module.state_dict(), "optimizer": optimizer.state_dict()}
            torch.save(state, path)
        dist.barrier()
        state = torch.load(path, map_location="cpu")
        model.module.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        parts = [None] * world
        dist.all_gather_object(parts, {"rank": rank, "step": step})
        assert [part["rank"] for part in parts] == list(range(world))
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
