import torch
from torch import nn

torch.manual_seed(0)
shared = nn.Linear(4, 1)
workers = [nn.Linear(4, 1) for _ in range(3)]
opt = torch.optim.SGD(shared.parameters(), lr=0.05)
for step in range(10):
    for w in workers:
        w.load_state_dict(shared.state_dict())
        x = torch.randn(16, 4)
        w.zero_grad()
        nn.functional.mse_loss(w(x), x[:, :1]).backward()
        for p, q in zip(shared.parameters(), w.parameters()):
            p._grad = q.grad
        opt.step()
