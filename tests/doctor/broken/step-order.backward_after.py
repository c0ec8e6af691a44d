import torch, torch.nn as nn
torch.manual_seed(0)
m = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2)); opt = torch.optim.RMSprop(m.parameters(), 1e-3)
for i in range(25):
    x = torch.randn(16, 4); out = m(x)
    loss = nn.functional.cross_entropy(out, (x[:, 0] > 0).long())
    opt.zero_grad()
    opt.step()  #-!
    loss.backward()
    opt.step()  #+
