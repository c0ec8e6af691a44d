import copy
import torch, torch.nn as nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
for it in range(15):
    fast = copy.deepcopy(net)
    opt = torch.optim.SGD(fast.parameters(), lr=0.02)
    ph = torch.rand(1) * 3
    for k in range(5):
        x = torch.rand(10, 1) * 4 - 2
        loss = (fast(x) - torch.sin(x + ph)).pow(2).mean()
        opt.zero_grad(); loss.backward(); opt.step()
    with torch.no_grad():
        for p, f in zip(net.parameters(), fast.parameters()):
            p += 0.1 * (f - p)
