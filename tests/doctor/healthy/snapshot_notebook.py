#= cell
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Dropout(0.1), nn.Linear(16, 2))
opt = torch.optim.Adam(net.parameters(), 1e-2)
#= cell
def run(n):
    net.train()
    for _ in range(n):
        x = torch.randn(32, 5)
        loss = nn.functional.cross_entropy(net(x), (x[:, 0] > 0).long())
        opt.zero_grad(); loss.backward(); opt.step()
    return loss.item()
run(15)
#= cell
net.eval()
with torch.no_grad():
    x_val = torch.randn(64, 5)
    print((net(x_val).argmax(1) == (x_val[:, 0] > 0).long()).float().mean())
#= cell
run(15)
