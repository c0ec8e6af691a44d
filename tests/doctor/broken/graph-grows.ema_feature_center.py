import torch
import torch.nn as nn
torch.manual_seed(0)
enc = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 8))
opt = torch.optim.Adam(enc.parameters(), lr=1e-3)
center = torch.zeros(8)
for step in range(40):
    x = torch.randn(32, 10)
    z = enc(x)
    center = 0.9 * center + 0.1 * z.mean(0)  #-!
    center = 0.9 * center.detach() + 0.1 * z.mean(0)  #+
    loss = ((z - center) ** 2).mean() + torch.relu(1 - z.std(0)).mean()
    opt.zero_grad()
    loss.backward(retain_graph=True)  #-
    loss.backward()  #+
    opt.step()
