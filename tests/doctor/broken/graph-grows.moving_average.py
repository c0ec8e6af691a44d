import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
opt = torch.optim.SGD(model.parameters(), lr=1e-3)
baseline = torch.zeros(())
for step in range(15):
    x = torch.randn(16, 4)
    error = (model(x) - x.mean(1, keepdim=True)).pow(2).mean()
    loss = error + 0.1 * (error - baseline) ** 2
    opt.zero_grad()
    loss.backward()
    opt.step()
    baseline = 0.9 * baseline + 0.1 * error  #-!
    baseline = 0.9 * baseline + 0.1 * error.detach()  #+
