import torch
import torch.nn as nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(1, 4, 3)
        self.fc = None
    def forward(self, x):
        h = torch.relu(self.conv(x)).flatten(1)
        if self.fc is None:
            self.fc = nn.Linear(h.shape[1], 2)  #!
        return self.fc(h)
torch.manual_seed(0)
net = Net()
net(torch.randn(1, 1, 12))  #+
opt = torch.optim.Adam(net.parameters(), lr=1e-2)  #!
for i in range(25):
    x = torch.randn(16, 1, 12)
    loss = nn.functional.cross_entropy(net(x), (x.mean((1, 2)) > 0).long())
    opt.zero_grad(); loss.backward(); opt.step()
