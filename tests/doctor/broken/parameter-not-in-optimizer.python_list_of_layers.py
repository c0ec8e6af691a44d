import torch
from torch import nn

torch.manual_seed(0)


class MLP(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.layers = [nn.Linear(a, b) for a, b in zip(sizes[:-1], sizes[1:])]  #-!
        self.layers = nn.ModuleList([nn.Linear(a, b) for a, b in zip(sizes[:-1], sizes[1:])])  #+
        self.out = nn.Linear(sizes[-1], 1)

    def forward(self, x):
        for layer in self.layers:
            x = torch.relu(layer(x))
        return self.out(x)


model = MLP([4, 16, 16])
opt = torch.optim.Adam(model.parameters(), lr=1e-3)  #!
for i in range(20):
    x = torch.randn(32, 4)
    loss = nn.functional.mse_loss(model(x), x.norm(dim=1, keepdim=True))
    opt.zero_grad()
    loss.backward()
    opt.step()
