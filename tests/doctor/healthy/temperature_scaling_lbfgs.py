import torch, torch.nn.functional as F
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 3))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
x = torch.randn(200, 6); y = (x[:, :3] + 0.5 * torch.randn(200, 3)).argmax(1)
for _ in range(40):
    opt.zero_grad(); F.cross_entropy(net(x[:150]), y[:150]).backward(); opt.step()
net.eval()
with torch.no_grad():
    logits = net(x[150:])
T = nn.Parameter(torch.ones(1))
cal = torch.optim.LBFGS([T], lr=0.1, max_iter=30)
def closure():
    cal.zero_grad()
    l = F.cross_entropy(logits / T, y[150:])
    l.backward()
    return l
cal.step(closure)
