import torch, torch.nn as nn
import torch.nn.functional as F
torch.manual_seed(0)
class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.e = nn.Linear(20, 32); self.mu = nn.Linear(32, 4); self.lv = nn.Linear(32, 4)
        self.d = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 20), nn.Sigmoid())
    def forward(self, x):
        h = F.relu(self.e(x)); mu, lv = self.mu(h), self.lv(h)
        z = mu + torch.exp(0.5 * lv) * torch.randn_like(mu)
        return self.d(z), mu, lv
m = VAE(); opt = torch.optim.Adam(m.parameters(), lr=1e-3)
X = (torch.rand(256, 20) > 0.7).float()
for e in range(8):
    for xb in X.split(64):
        r, mu, lv = m(xb)
        loss = F.binary_cross_entropy(r, xb, reduction="sum") - 0.5 * torch.sum(1 + lv - mu.pow(2) - lv.exp())
        opt.zero_grad(); loss.backward(); opt.step()
