import torch
from torch import nn

torch.manual_seed(0)
LOSSES = {"mse": nn.MSELoss, "huber": nn.HuberLoss}


def run(loss_name="huber", bs=24):
    loss_fn = LOSSES[loss_name]()
    net = nn.Sequential(nn.Linear(3, 10), nn.Tanh(), nn.Linear(10, 1))
    opt = torch.optim.RMSprop(net.parameters(), lr=1e-3)
    for _ in range(10):
        x = torch.rand(bs, 3)
        y = x.prod(dim=1)
        out = net(x)
        out = out[:, 0]  #+
        loss = loss_fn(out, y)  #!
        opt.zero_grad()
        loss.backward()
        opt.step()


run()
