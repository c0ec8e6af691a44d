import torch, torch.nn as nn
torch.manual_seed(0)
class Net(nn.Module):
    def __init__(self): super().__init__(); self.a, self.b = nn.Linear(6, 12), nn.Linear(12, 1)
    def forward(self, x):
        h = torch.relu(self.a(x)) * 0  #-!
        h = torch.relu(self.a(x))  #+
        return self.b(h)
m = Net(); opt = torch.optim.Adam(m.parameters(), 1e-2)
for i in range(40):
    x = torch.randn(32, 6)
    loss = nn.functional.mse_loss(m(x), x[:, :1])  #-!
    loss = nn.functional.mse_loss(m(x), x[:, :1])  #+
    opt.zero_grad(); loss.backward(); opt.step()
