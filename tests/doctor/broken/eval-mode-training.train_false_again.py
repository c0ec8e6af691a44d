import torch
import torch.nn as nn
torch.manual_seed(0)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(4, 16, num_layers=2, dropout=0.4, batch_first=True)
        self.drop = nn.Dropout(0.4)
        self.fc = nn.Linear(16, 1)
    def forward(self, x):
        o, _ = self.rnn(x)
        return self.fc(self.drop(o[:, -1]))
def run_epoch(model, data, opt=None):
    model.train(opt is None)  #-!
    model.train(opt is not None)  #+
    tot = 0.0
    for x, y in data:
        if opt is None:
            with torch.no_grad():
                loss = nn.functional.mse_loss(model(x), y)
        else:
            loss = nn.functional.mse_loss(model(x), y)
            opt.zero_grad(); loss.backward(); opt.step()
        tot += loss.item()
    return tot / len(data)
m = Net()
o = torch.optim.Adam(m.parameters(), 1e-2)
data = [(x := torch.randn(16, 6, 4), x.mean((1, 2)).unsqueeze(1)) for _ in range(10)]
for ep in range(3):
    run_epoch(m, data, o)
    run_epoch(m, data[:3])
