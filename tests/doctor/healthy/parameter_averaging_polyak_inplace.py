import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(5, 1); avg = {k: v.clone() for k, v in net.state_dict().items()}; opt = torch.optim.ASGD(net.parameters(), lr=0.05)
for n in range(60):
    x = torch.randn(32, 5); loss = nn.functional.mse_loss(net(x), x[:, 1:2]); opt.zero_grad(); loss.backward(); opt.step()
    for k, v in net.state_dict().items(): avg[k] += (v - avg[k]) / (n + 1)
backup = {k: v.clone() for k, v in net.state_dict().items()}
net.load_state_dict(avg)
with torch.no_grad(): print(net(torch.ones(1, 5)).item())
net.load_state_dict(backup)
