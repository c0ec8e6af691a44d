import torch, torch.nn as nn
torch.manual_seed(0)
class Net(nn.Module):
    def __init__(self, h):
        super().__init__()
        self.a, self.b = nn.Linear(5, h), nn.Linear(h, 1)
    def forward(self, x): return self.b(torch.relu(self.a(x)))
model = Net(8)
opt = torch.optim.Adam(model.parameters(), lr=1e-2)  #-!
model = Net(16)  #!
opt = torch.optim.Adam(model.parameters(), lr=1e-2)  #+
for i in range(25):
    x = torch.randn(16, 5); loss = (model(x) - x[:, :1]).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
