import torch
import torch.nn as nn
torch.manual_seed(0)
class SetNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.phi = nn.Linear(4, 16)
        self.rho = nn.Linear(16, 1)
    def forward(self, x):                 # (batch, items, 4)
        h = torch.relu(self.phi(x))
        pooled = h.mean(0).mean(0)  #-!
        pooled = h.mean(1)  #+
        return self.rho(pooled.expand(x.shape[0], 16))
net = SetNet()
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for i in range(50):
    x = torch.randn(32, 5, 4)
    y = x.mean((1, 2)).unsqueeze(1) * 3
    loss = nn.functional.mse_loss(net(x), y)  #-!
    loss = nn.functional.mse_loss(net(x), y)  #+
    opt.zero_grad(); loss.backward(); opt.step()
