import torch
from torch.func import functional_call, grad_and_value

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(3, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1))
params = {k: v.detach() for k, v in net.named_parameters()}


def loss_fn(p, x, y):
    return (functional_call(net, p, (x,)) - y).pow(2).mean()


step = grad_and_value(loss_fn)
for _ in range(20):
    x = torch.randn(32, 3)
    g, value = step(params, x, x.sum(1, keepdim=True))
    params = {k: v - 0.05 * g[k] for k, v in params.items()}
