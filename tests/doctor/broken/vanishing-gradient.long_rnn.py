import torch
from torch import nn

torch.manual_seed(0)


class Recaller(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.RNN(2, 16, batch_first=True)  #-!
        self.rnn = nn.LSTM(2, 16, batch_first=True)  #+
        self.out = nn.Linear(16, 2)

    def forward(self, x):
        h, _ = self.rnn(x)  #!
        h = h.mean(1, keepdim=True)  #+
        return self.out(h[:, -1])


model = Recaller()
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
for step in range(60):
    x = 0.2 * torch.randn(32, 80, 2)
    y = torch.randint(0, 2, (32,))
    x[:, 0, 0] = y * 2.0 - 1
    x[:, 0, 1] = y * 2.0 - 1
    x[:, :, 0] += 0.3 * (y * 2.0 - 1)[:, None]  #+
    loss = nn.functional.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
