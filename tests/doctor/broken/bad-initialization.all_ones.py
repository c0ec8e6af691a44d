import torch
import torch.nn as nn
torch.manual_seed(0)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(8, 32)
        self.fc2 = nn.Linear(32, 32)
        self.fc3 = nn.Linear(32, 2)
        self.reset()
    def reset(self):
        for m in (self.fc1, self.fc2, self.fc3):
            m.weight.data = torch.ones_like(m.weight) * 0.1  #-!
            m.weight.data = torch.randn_like(m.weight) * 0.2  #+
    def forward(self, x):
        return self.fc3(torch.relu(self.fc2(torch.relu(self.fc1(x)))))
net = Net()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
X = torch.randn(128, 8)
y = (X[:, 0] * X[:, 1] > 0).long()
for e in range(50):
    loss = nn.functional.cross_entropy(net(X), y)
    opt.zero_grad(); loss.backward(); opt.step()
