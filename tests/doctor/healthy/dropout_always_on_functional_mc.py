import torch, torch.nn.functional as F
from torch import nn
class MC(nn.Module):
    def __init__(self):
        super().__init__(); self.a, self.b = nn.Linear(3, 32), nn.Linear(32, 1)
    def forward(self, x):
        return self.b(F.dropout(torch.relu(self.a(x)), 0.2, training=True))
torch.manual_seed(0); m = MC(); opt = torch.optim.Adam(m.parameters(), 1e-2); x = torch.randn(100, 3); y = x[:, :1]
for _ in range(50):
    opt.zero_grad(); F.mse_loss(m(x), y).backward(); opt.step()
m.eval()
with torch.no_grad():
    s = torch.stack([m(x) for _ in range(10)]); mu, sd = s.mean(0), s.std(0)
