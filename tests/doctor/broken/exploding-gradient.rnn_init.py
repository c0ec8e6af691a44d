import torch
import torch.nn as nn
torch.manual_seed(0)
class ElmanNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.wx = nn.Linear(2, 20)
        self.wh = nn.Linear(20, 20)
        self.out = nn.Linear(20, 1)
    def forward(self, x):
        h = torch.zeros(x.size(0), 20)
        for t in range(x.size(1)):
            h = torch.relu(self.wx(x[:, t]) + 9.0 * self.wh(h))  #-!
            h = torch.tanh(self.wx(x[:, t]) + self.wh(h))  #+
        return self.out(h)
net = ElmanNet()
opt = torch.optim.SGD(net.parameters(), lr=1e-3)
for i in range(30):
    x = torch.randn(16, 30, 2)
    y = x.mean((1, 2)).unsqueeze(1)
    loss = nn.functional.mse_loss(net(x), y)
    opt.zero_grad()
    loss.backward()  #-!
    loss.backward()  #+
    opt.step()
