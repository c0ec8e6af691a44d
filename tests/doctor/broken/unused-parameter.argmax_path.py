import torch
import torch.nn as nn
import torch.nn.functional as F
torch.manual_seed(0)
class Router(nn.Module):
    def __init__(self, d, experts):
        super().__init__()
        self.gate = nn.Linear(d, experts)
        self.experts = nn.ModuleList(nn.Linear(d, d) for _ in range(experts))
        self.out = nn.Linear(d, 2)
    def forward(self, x):
        scores = F.softmax(self.gate(x), dim=-1)
        k = scores.argmax(-1)  #-!
        w = F.one_hot(k, len(self.experts)).float()  #-
        w = scores  #+
        ys = torch.stack([e(x) for e in self.experts], 1)
        return self.out((w.unsqueeze(-1) * ys).sum(1))
model = Router(8, 3)
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(30):
    x = torch.randn(64, 8)
    y = (x[:, 0] * x[:, 1] > 0).long()
    loss = F.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
