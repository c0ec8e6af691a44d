import torch
import torch.nn as nn
class Forecaster(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.lstm = nn.LSTM(1, n)
        self.lin = nn.Linear(n, 1)
        self.hidden = (torch.zeros(1, 1, n), torch.zeros(1, 1, n))
    def forward(self, seq):
        out, self.hidden = self.lstm(seq.view(len(seq), 1, -1), self.hidden)  #!
        return self.lin(out.view(len(seq), -1))[-1]
torch.manual_seed(0)
model = Forecaster(10)
opt = torch.optim.Adam(model.parameters(), lr=0.01)
data = torch.sin(torch.arange(0, 60) * 0.3)
for i in range(40):
    seq, lab = data[i:i + 12], data[i + 12:i + 13]
    opt.zero_grad()
    model.hidden = tuple(torch.zeros(1, 1, 10) for _ in range(2))  #+
    y = model(seq)
    loss = nn.functional.mse_loss(y, lab)
    loss.backward()
    opt.step()
