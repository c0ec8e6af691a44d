import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class SmallCNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1 = nn.Conv2d(1, 8, 3, stride=2)
        self.fc = nn.Linear(8 * 9, 2)

    def forward(self, x):
        return self.fc(F.relu(self.c1(x)).flatten(1))


net = SmallCNN()
optimizer = torch.optim.RMSprop(net.parameters(), lr=1e-3)
for step in range(20):
    optimizer.zero_grad()
    for micro in range(2):
        y = torch.randint(0, 2, (16,))
        x = torch.randn(16, 1, 8, 8) + 0.5 * y.view(-1, 1, 1, 1)
        loss = F.cross_entropy(net(x), y)  #!
        loss = 0.5 * loss  #+
        loss.backward()  #!
    optimizer.step()
