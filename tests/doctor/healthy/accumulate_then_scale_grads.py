import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(8, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.05)
K = 4
for i in range(40):
    x = torch.randn(16, 8)
    nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
    if i % K == K - 1:
        for p in model.parameters():
            p.grad.div_(K)
        opt.step()
        opt.zero_grad()
