import torch
from torch import nn

torch.manual_seed(0)


class Deep(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(6, 6) for _ in range(3)]  #-
        self.layers = nn.ModuleList(nn.Linear(6, 6) for _ in range(3))  #+
        self.out = nn.Linear(6, 1)

    def forward(self, x):
        for layer in self.layers:
            x = torch.tanh(layer(x))
        return self.out(x)


model = Deep()
opt = torch.optim.Adam(model.parameters(), lr=1e-2)  #!
for i in range(15):
    x = torch.randn(20, 6)
    loss = nn.functional.mse_loss(model(x), x[:, :1])
    opt.zero_grad()
    loss.backward()
    opt.step()
