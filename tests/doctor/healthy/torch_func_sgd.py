import torch
from torch.func import functional_call, grad, vmap

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(3, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
params = {k: v.detach() for k, v in net.named_parameters()}


def loss_fn(p, x, y):
    return (functional_call(net, p, (x,)) - y).pow(2).mean()


for _ in range(60):
    x = torch.randn(32, 3)
    g = grad(loss_fn)(params, x, x[:, :1])
    params = {k: v - 0.1 * g[k] for k, v in params.items()}
