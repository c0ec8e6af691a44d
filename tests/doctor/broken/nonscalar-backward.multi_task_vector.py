import torch
from torch import nn

torch.manual_seed(0)


class MultiTask(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Linear(6, 12)
        self.heads = nn.ModuleList([nn.Linear(12, 1) for _ in range(3)])

    def losses(self, x, ys):
        h = torch.relu(self.trunk(x))
        return torch.stack([nn.functional.mse_loss(head(h), y) for head, y in zip(self.heads, ys)])  #!


model = MultiTask()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(6):
    x = torch.randn(10, 6)
    ys = [torch.randn(10, 1) for _ in range(3)]
    opt.zero_grad()
    loss = model.losses(x, ys)
    loss = loss.sum()  #+
    loss.backward()  #!
    opt.step()
