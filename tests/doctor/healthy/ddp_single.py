import os
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
os.environ.setdefault("MASTER_PORT", "29531")
if not dist.is_initialized():
    dist.init_process_group("gloo", rank=0, world_size=1)
torch.manual_seed(0)
model = DDP(nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2)))
opt = torch.optim.SGD(model.parameters(), 0.1)
for i in range(20):
    x = torch.randn(16, 6)
    if i % 2:
        with model.no_sync():
            (nn.functional.cross_entropy(model(x), (x[:, 0] > 0).long()) / 2).backward()
        continue
    (nn.functional.cross_entropy(model(x), (x[:, 0] > 0).long()) / 2).backward()
    opt.step()
    opt.zero_grad()
dist.destroy_process_group()
