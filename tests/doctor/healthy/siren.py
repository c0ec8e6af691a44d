import torch, torch.nn as nn
torch.manual_seed(0)
class Sine(nn.Module):
    def __init__(self, i, o, w0=30.0, first=False):
        super().__init__()
        self.l, self.w0 = nn.Linear(i, o), w0
        with torch.no_grad(): self.l.weight.uniform_(-1 / i, 1 / i) if first else self.l.weight.uniform_(-(6 / i) ** 0.5 / w0, (6 / i) ** 0.5 / w0)
    def forward(self, x): return torch.sin(self.w0 * self.l(x))
net = nn.Sequential(Sine(1, 64, first=True), Sine(64, 64), nn.Linear(64, 1)); opt = torch.optim.Adam(net.parameters(), 1e-3)
x = torch.linspace(-1, 1, 200)[:, None]; y = torch.sin(20 * x)
for i in range(60):
    loss = (net(x) - y).pow(2).mean(); opt.zero_grad(); loss.backward(); opt.step()
