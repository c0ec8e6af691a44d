import torch
import torch.nn as nn
class Plain(nn.Module):
    def __init__(self, depth):
        super().__init__()
        self.inp = nn.Linear(20, 30)
        self.hidden = nn.Sequential(*[nn.Sequential(nn.Linear(30, 30), nn.Sigmoid()) for _ in range(depth)])  #-!
        self.hidden = nn.Sequential(*[nn.Sequential(nn.Linear(30, 30), nn.LayerNorm(30), nn.ReLU()) for _ in range(depth)])  #+
        self.out = nn.Linear(30, 5)
    def forward(self, x):
        return self.out(self.hidden(torch.sigmoid(self.inp(x))))
torch.manual_seed(0)
net = Plain(8)
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for step in range(60):
    x = torch.randn(64, 20)
    y = x[:, :5].argmax(1)
    loss = nn.functional.cross_entropy(net(x), y)
    opt.zero_grad(); loss.backward(); opt.step()
