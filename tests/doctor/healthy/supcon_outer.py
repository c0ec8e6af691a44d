import torch, torch.nn as nn
import torch.nn.functional as F
torch.manual_seed(0)
net = nn.Linear(6, 4); opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(30):
    y = torch.randint(0, 3, (24,)); x = F.one_hot(y, 6).float() + 0.5 * torch.randn(24, 6)
    z = F.normalize(net(x), dim=1)
    sim = z @ z.t() / 0.5
    sim = sim.masked_fill(torch.eye(24, dtype=torch.bool), float("-inf"))
    pos = (y[:, None] == y[None, :]).float() * (1 - torch.eye(24))
    lp = F.log_softmax(sim, 1).masked_fill(torch.eye(24, dtype=torch.bool), 0.0)
    loss = -((pos * lp).sum(1) / pos.sum(1).clamp(min=1)).mean()
    opt.zero_grad(); loss.backward(); opt.step()
