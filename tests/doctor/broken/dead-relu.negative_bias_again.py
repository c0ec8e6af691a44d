import torch
import torch.nn as nn
torch.manual_seed(0)
class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(10, 64)
        self.fc2 = nn.Linear(64, 2)
        nn.init.constant_(self.fc1.bias, -20.0)  #-!
    def forward(self, x):
        return self.fc2(torch.relu(self.fc1(x)))  #!
m = MLP()
opt = torch.optim.SGD(m.parameters(), lr=0.1)
X = torch.randn(200, 10)
y = (X[:, 0] * X[:, 1] > 0).long()
for e in range(40):
    loss = nn.functional.cross_entropy(m(X), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
