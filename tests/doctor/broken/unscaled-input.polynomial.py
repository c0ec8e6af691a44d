import torch
import torch.nn as nn
torch.manual_seed(0)
x = torch.linspace(0, 50, 200).unsqueeze(1)
feats = torch.cat([x ** k for k in range(1, 5)], 1)
feats = (feats - feats.mean(0)) / feats.std(0)  #+
y = torch.sin(x / 5)
net = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for i in range(80):
    out = net(feats)  #-!
    out = net(feats)  #+
    loss = nn.functional.mse_loss(out, y)
    opt.zero_grad(); loss.backward(); opt.step()
