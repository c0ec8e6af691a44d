import torch
import torch.nn as nn
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(10, 50), nn.Tanh(), nn.Linear(50, 50), nn.Tanh(), nn.Linear(50, 50), nn.Tanh(), nn.Linear(50, 1))
@torch.no_grad()
def init(m):
    if type(m) is nn.Linear:
        m.weight.normal_(0, 1e-6)  #-!
        m.weight.normal_(0, 0.15)  #+
        m.bias.zero_()
model.apply(init)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
X = torch.randn(100, 10)
Y = torch.sin(X.sum(1, keepdim=True))
for i in range(60):
    loss = nn.functional.mse_loss(model(X), Y)
    opt.zero_grad(); loss.backward(); opt.step()
