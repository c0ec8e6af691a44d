import torch
from torch import nn


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(64, 64)
        self.fc2 = nn.Linear(64, 64)
        self.fc3 = nn.Linear(64, 4)
        for fc in (self.fc1, self.fc2, self.fc3):
            nn.init.normal_(fc.weight, mean=0.0, std=10.0)  #-!
            nn.init.normal_(fc.weight, mean=0.0, std=0.1)  #+

    def forward(self, x):
        x = torch.relu(self.fc1(x))
        x = torch.relu(self.fc2(x))
        return self.fc3(x)


torch.manual_seed(0)
net = Policy()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(25):
    x = torch.randn(32, 64)
    loss = nn.functional.cross_entropy(net(x), x[:, :4].argmax(1))
    opt.zero_grad()
    loss.backward()
    opt.step()
