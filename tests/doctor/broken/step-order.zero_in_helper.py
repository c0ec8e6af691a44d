import torch
from torch import nn

torch.manual_seed(0)


def compute_gradients(model, opt, x, y):
    loss = nn.functional.mse_loss(model(x), y)
    opt.zero_grad()  #+
    loss.backward()
    return loss


def apply_gradients(opt):
    opt.zero_grad()  #-!
    opt.step()


net = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
opt = torch.optim.Adam(net.parameters(), lr=0.01)
for i in range(25):
    x = torch.randn(10, 2)
    compute_gradients(net, opt, x, x.sum(1, keepdim=True))
    apply_gradients(opt)
