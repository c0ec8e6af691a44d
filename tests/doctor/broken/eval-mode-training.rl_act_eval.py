import torch
import torch.nn as nn
torch.manual_seed(0)
class Q(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 2))
    def forward(self, s): return self.net(s)
    def act(self, s):
        self.eval()  #!
        with torch.no_grad():
            a = self(s).argmax(-1)
        self.train()  #+
        return a
q = Q()
opt = torch.optim.Adam(q.parameters(), lr=1e-3)
s = torch.randn(16, 4)
for t in range(40):
    a = q.act(s)
    r = (a == (s[:, 0] > 0).long()).float()
    qa = q(s).gather(1, a[:, None]).squeeze(1)
    loss = nn.functional.mse_loss(qa, r)
    opt.zero_grad(); loss.backward(); opt.step()
    s = torch.randn(16, 4)
