import torch
from torch import nn


def log_gradients(loss, model):
    grads = torch.autograd.grad(loss, list(model.parameters()))  #-!
    grads = torch.autograd.grad(loss, list(model.parameters()), retain_graph=True)  #+
    return sum(g.norm().item() for g in grads)


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 12), nn.Sigmoid(), nn.Linear(12, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(40, 6)
y = x.prod(1, keepdim=True)
for i in range(15):
    loss = nn.functional.mse_loss(model(x), y)
    norm = log_gradients(loss, model)
    opt.zero_grad()
    loss.backward()  #-!
    loss.backward()  #+
    opt.step()
