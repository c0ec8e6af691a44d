import torch
import torch.nn as nn


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(6, 12)
        self.b = nn.Linear(12, 1)

    @torch.no_grad()  #-!
    def forward(self, x):  #!
        h = torch.relu(self.a(x))  #!
        return self.b(h)  #!


torch.manual_seed(0)
model = Encoder()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(10):
    x = torch.randn(8, 6)
    loss = nn.functional.mse_loss(model(x), x[:, :1])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
