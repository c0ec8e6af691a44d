import copy
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(5, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
sched = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, factor=0.3, patience=2)
X = torch.randn(120, 5)
y = X[:, :1] + 0.5 * torch.randn(120, 1)
best, bad, state = float("inf"), 0, None
for epoch in range(60):
    net.train()
    loss = nn.functional.mse_loss(net(X[:80]), y[:80])
    opt.zero_grad()
    loss.backward()
    opt.step()
    net.eval()
    with torch.no_grad():
        v = nn.functional.mse_loss(net(X[80:]), y[80:]).item()
    sched.step(v)
    if v < best:
        best, bad, state = v, 0, copy.deepcopy(net.state_dict())
    else:
        bad += 1
        if bad > 6:
            break
net.load_state_dict(state)
