import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


class CNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 4, 3, padding=1)
        self.conv2 = nn.Conv2d(4, 4, 3, padding=1)  #!
        self.fc = nn.Linear(64, 3)

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = F.relu(self.conv2(x))  #+
        x = F.max_pool2d(x, 2)
        return self.fc(x.flatten(1))


model = CNN()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for i in range(10):
    x, y = torch.randn(8, 1, 8, 8), torch.randint(0, 3, (8,))
    loss = F.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
