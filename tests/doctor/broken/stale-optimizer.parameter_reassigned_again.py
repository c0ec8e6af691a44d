import torch
from torch import nn

torch.manual_seed(0)


class Prompt(nn.Module):
    def __init__(self):
        super().__init__()
        self.prompt = nn.Parameter(torch.zeros(4, 8))
        self.proj = nn.Linear(8, 2)

    def forward(self, x):
        return self.proj(torch.tanh(x @ self.prompt))


model = Prompt()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)  #-!
model.prompt = nn.Parameter(torch.randn(4, 8) * 0.1)  #!
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)  #+
for _ in range(15):
    x = torch.randn(16, 4)
    loss = nn.functional.cross_entropy(model(x), (x[:, 0] > 0).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
