import functools
import torch
import torch.nn as nn
def timed(fn):
    @functools.wraps(fn)
    def inner(*a, **k):
        return fn(*a, **k)
    return inner
@timed
@torch.no_grad()  #-!
def train_step(model, opt, x, y):  #!
    opt.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()  #!
    opt.step()
torch.manual_seed(0)
model = nn.Linear(3, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for i in range(10):
    x = torch.randn(8, 3)
    train_step(model, opt, x, x.sum(1, keepdim=True))
