import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(64, 4)
y = (x[:, 0] > 0).long()


def evaluate():
    torch.set_grad_enabled(False)  #!
    accuracy = (model(x).argmax(1) == y).float().mean().item()
    torch.set_grad_enabled(True)  #+
    return accuracy


for epoch in range(8):
    loss = nn.functional.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(epoch, evaluate())
