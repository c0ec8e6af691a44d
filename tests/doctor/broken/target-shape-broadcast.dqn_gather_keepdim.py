import torch
from torch import nn

torch.manual_seed(0)
q_net = nn.Sequential(nn.Linear(4, 24), nn.ReLU(), nn.Linear(24, 2))
target_net = nn.Sequential(nn.Linear(4, 24), nn.ReLU(), nn.Linear(24, 2))
optimizer = torch.optim.Adam(q_net.parameters(), lr=1e-3)


def optimize(s, a, r, s2, done):
    q = q_net(s).gather(1, a.unsqueeze(1))
    next_q = target_net(s2).max(1)[0].detach()
    expected = r + 0.99 * next_q * (1 - done)
    loss = nn.functional.smooth_l1_loss(q, expected)  #-!
    loss = nn.functional.smooth_l1_loss(q, expected.unsqueeze(1))  #+
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


for _ in range(12):
    n = 20
    optimize(torch.randn(n, 4), torch.randint(0, 2, (n,)), torch.randn(n), torch.randn(n, 4), torch.zeros(n))
