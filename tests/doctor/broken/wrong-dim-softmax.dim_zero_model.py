import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(16, 32)
        self.fc2 = nn.Linear(32, 4)

    def forward(self, x):
        x = self.fc2(torch.relu(self.fc1(x)))
        return F.log_softmax(x, dim=0)  #-!
        return F.log_softmax(x, dim=1)  #+


net = Net()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
x = torch.randn(200, 16)
y = x[:, :4].argmax(1)
for epoch in range(4):
    for xb, yb in zip(x.split(25), y.split(25)):
        loss = F.nll_loss(net(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
