import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(5, 24), nn.Linear(24, 1)

    def forward(self, x):
        x = F.dropout(F.relu(self.a(x)), 0.4)  #-!
        x = F.dropout(F.relu(self.a(x)), 0.4, training=self.training)  #+
        return self.b(x)


torch.manual_seed(0)
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.03)
X = torch.randn(160, 5)
Y = X[:, :1] + X[:, 1:2]
for epoch in range(10):
    net.train()
    for i in range(0, 120, 20):
        loss = F.mse_loss(net(X[i : i + 20]), Y[i : i + 20])
        opt.zero_grad()
        loss.backward()
        opt.step()
    net.eval()
    with torch.inference_mode():
        val = F.mse_loss(net(X[120:]), Y[120:]).item()
