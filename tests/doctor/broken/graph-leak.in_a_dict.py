import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.05)


def train(steps):
    history = {"loss": [], "lr": []}
    for _ in range(steps):
        x = torch.randn(20, 6)
        target = x[:, :1] - x[:, 1:2]
        loss = nn.functional.l1_loss(model(x), target)
        opt.zero_grad()
        loss.backward()
        opt.step()
        history["loss"].append(loss)  #-!
        history["loss"].append(loss.item())  #+
        history["lr"].append(0.05)
    return history


history = train(25)
