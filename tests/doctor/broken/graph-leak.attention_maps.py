import torch
import torch.nn as nn
class Attn(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)
        self.maps = []
    def forward(self, x):
        w = torch.softmax(self.q(x) @ self.k(x).transpose(1, 2), -1)
        self.maps.append(w)  #-!
        self.maps.append(w.detach())  #+
        return w @ self.v(x)
torch.manual_seed(0)
m = Attn(8)
opt = torch.optim.Adam(m.parameters(), 1e-3)
for i in range(30):
    x = torch.randn(4, 6, 8)
    loss = (m(x) - x).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
