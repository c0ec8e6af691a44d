import torch
from torch import nn
from torch.optim.lr_scheduler import StepLR


def train(epochs):
    torch.manual_seed(0)
    model = nn.Linear(6, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = StepLR(optimizer, step_size=2, gamma=0.5)
    for epoch in range(epochs):
        scheduler.step()  #-!
        for _ in range(4):
            x = torch.randn(16, 6)
            loss = nn.functional.mse_loss(model(x), x[:, :1])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        scheduler.step()  #+


train(5)
