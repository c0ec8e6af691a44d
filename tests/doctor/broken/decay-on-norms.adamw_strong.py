import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 32), nn.LayerNorm(32), nn.ReLU(), nn.Linear(32, 1))
norms = [*net[1].parameters()]  #+
rest = [*net[0].parameters(), *net[3].parameters()]  #+
opt = torch.optim.AdamW(net.parameters(), lr=5e-2, weight_decay=1.0)  #-!
opt = torch.optim.AdamW([{"params": rest}, {"params": norms, "weight_decay": 0.0}], lr=5e-3)  #+
for _ in range(60):
    x = torch.randn(32, 8)
    loss = nn.functional.mse_loss(net(x), x[:, :1])
    opt.zero_grad()
    loss.backward()
    opt.step()
