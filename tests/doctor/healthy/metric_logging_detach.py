import torch, torch.nn as nn
torch.manual_seed(0)
m = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 1)); opt = torch.optim.SGD(m.parameters(), 1e-2)
hist, outs = [], []
for i in range(40):
    x = torch.randn(32, 6); y = x.sum(1, keepdim=True)
    o = m(x); loss = nn.functional.mse_loss(o, y)
    opt.zero_grad(); loss.backward(); opt.step()
    hist.append(loss.detach()); outs.append(o.detach().numpy())
print(torch.stack(hist).mean())
