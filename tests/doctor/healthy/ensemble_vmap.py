import copy

import torch
from torch import nn
from torch.func import functional_call, stack_module_state, vmap

torch.manual_seed(0)
models = [nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1)) for _ in range(4)]
params, buffers = stack_module_state(models)
base = copy.deepcopy(models[0]).to("meta")
opt = torch.optim.Adam(list(params.values()), lr=1e-2)
for _ in range(15):
    x = torch.randn(20, 3)
    y = x.sum(1, keepdim=True)
    out = vmap(lambda p, b: functional_call(base, (p, b), (x,)))(params, buffers)
    loss = (out - y).pow(2).mean((1, 2)).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
