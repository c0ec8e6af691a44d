import torch
from torch.func import functional_call, grad, stack_module_state, vmap
from torch import nn
torch.manual_seed(0)
models = [nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1)) for _ in range(4)]
params, buffers = stack_module_state(models); base = models[0]
def loss(p, b, x, y): return (functional_call(base, (p, b), (x,)) - y).pow(2).mean()
x = torch.randn(50, 3); y = x[:, :1]
for _ in range(40):
    g = vmap(grad(loss), in_dims=(0, 0, None, None))(params, buffers, x, y)
    params = {k: v.detach() - 0.1 * g[k] for k, v in params.items()}
