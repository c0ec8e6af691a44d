import torch, torch.nn as nn
torch.manual_seed(0)
pi = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2), nn.Tanh()); opt = torch.optim.Adam(pi.parameters(), 3e-3)
expert = nn.Sequential(nn.Linear(4, 2), nn.Tanh())
for i in range(50):
    s = torch.randn(64, 4)
    with torch.no_grad(): a = expert(s)
    loss = ((pi(s) - a) ** 2).sum(1).mean()
    opt.zero_grad(); loss.backward(); opt.step()
