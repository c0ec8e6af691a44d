import torch
from torch import nn
class LISTA(nn.Module):
    def __init__(self, D, steps=5):
        super().__init__()
        self.We = nn.Parameter(D.T / 4); self.S = nn.Parameter(torch.eye(D.size(1)) - D.T @ D / 4)
        self.theta = nn.Parameter(torch.full((1,), 0.05)); self.steps = steps
    def forward(self, x):
        b = x @ self.We.T
        z = nn.functional.softshrink(b, 0.0)
        for _ in range(self.steps):
            c = b + z @ self.S.T
            z = torch.sign(c) * torch.relu(c.abs() - self.theta)
        return z
torch.manual_seed(0)
D = nn.functional.normalize(torch.randn(10, 20), dim=0)
net = LISTA(D)
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(60):
    z = torch.randn(64, 20) * (torch.rand(64, 20) < 0.1)
    loss = (net(z @ D.T) - z).pow(2).sum(1).mean()
    opt.zero_grad(); loss.backward(); opt.step()
