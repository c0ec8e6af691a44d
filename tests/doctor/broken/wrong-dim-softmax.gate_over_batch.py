import torch
import torch.nn as nn
torch.manual_seed(0)
class Mixture(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(6, 3)
        self.exp = nn.Linear(6, 3)
    def forward(self, x):
        g = self.gate(x).softmax(0)  #-!
        g = self.gate(x).softmax(1)  #+
        return (g * self.exp(x)).sum(1)
m = Mixture()
o = torch.optim.Adam(m.parameters(), lr=1e-2)
for i in range(30):
    x = torch.randn(48, 6)
    y = x[:, 0] * (x[:, 1] > 0)
    loss = nn.functional.mse_loss(m(x), y)
    o.zero_grad(); loss.backward(); o.step()
