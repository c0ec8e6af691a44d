import torch
from torch import nn

torch.manual_seed(0)
T = 60


class FirstToken(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.RNN(2, 16, batch_first=True)  #-!
        self.rnn = nn.GRU(2, 16, batch_first=True)  #+
        self.fc = nn.Linear(16, 2)

    def forward(self, x):
        out, _ = self.rnn(x)  #!
        return self.fc(out[:, -1])  #-
        return self.fc(out.mean(1) + out[:, 0])  #+


model = FirstToken()
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(60):
    x = torch.randn(32, T, 2) * 0.3
    y = torch.randint(0, 2, (32,))
    x[:, 0, 0] = y.float() * 2 - 1
    loss = nn.functional.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
