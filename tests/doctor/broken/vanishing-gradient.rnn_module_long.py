import torch
import torch.nn as nn
class Recall(nn.Module):
    def __init__(self, cell):
        super().__init__()
        self.rnn = cell(4, 24, batch_first=True)
        self.fc = nn.Linear(24, 4)
    def forward(self, x):
        out, _ = self.rnn(x)  #!
        return self.fc(out[:, -1])
torch.manual_seed(0)
net = Recall(nn.RNN)  #-!
net = Recall(nn.GRU)  #+
opt = torch.optim.SGD(net.parameters(), lr=0.05)  #-
opt = torch.optim.Adam(net.parameters(), lr=0.01)  #+
for i in range(80):
    y = torch.randint(0, 4, (32,))
    x = torch.zeros(32, 40, 4)  #-
    x = torch.zeros(32, 3, 4)  #+
    x[torch.arange(32), 0, y] = 1.0
    loss = nn.functional.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
