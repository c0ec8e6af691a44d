import torch, torch.nn as nn
torch.manual_seed(0)
class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.randn(4, 12) * 0.2); self.b = nn.Parameter(torch.zeros(12))
    def forward(self, x): return torch.relu(x @ self.w.t()) @ self.w + self.b
m = Tied(); opt = torch.optim.Adam(m.parameters(), 1e-2)
for i in range(50):
    x = torch.randn(64, 2) @ torch.randn(2, 12)
    loss = (m(x) - x).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
