import torch, torch.nn as nn
torch.manual_seed(0)
m = nn.Sequential(nn.Linear(5, 10), nn.ReLU(), nn.Linear(10, 1), nn.ReLU()); opt = torch.optim.Adam(m.parameters(), 1e-2)
for i in range(20):
    x = torch.randn(16, 5); rate = m(x)
    y = torch.poisson(torch.ones(16, 1))
    loss = (rate - y * torch.log(rate)).mean()  #-!
    loss = (rate - y * torch.log(rate + 1e-6)).mean()  #+
    opt.zero_grad(); loss.backward(); opt.step()
