import torch
from torch import nn


def main(lr):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)  #!
    for epoch in range(30):
        x = torch.randn(64, 8)
        y = x.sum(1, keepdim=True)
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


main(lr=1.0)  #-!
main(lr=0.01)  #+
