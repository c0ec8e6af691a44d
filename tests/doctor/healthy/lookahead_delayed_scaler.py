import torch, torch.nn as nn
torch.manual_seed(0)
m = nn.Sequential(nn.Linear(5, 16), nn.Tanh(), nn.Linear(16, 1)); opt = torch.optim.SGD(m.parameters(), 0.05)
slow = [p.detach().clone() for p in m.parameters()]
for i in range(60):
    x = torch.randn(32, 5); loss = (m(x) - x.mean(1, keepdim=True)).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
    if i % 5 == 4:
        with torch.no_grad():
            for s, p in zip(slow, m.parameters()): s += 0.5 * (p - s); p.copy_(s)
