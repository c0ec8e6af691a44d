import torch
from torch import nn

CONFIG = {
    "model": {"hidden": 32},
    "optim": {"lr": 3.0, "momentum": 0.9},  #-!
    "optim": {"lr": 0.03, "momentum": 0.9},  #+
    "epochs": 6,
}


class Net(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.lstm = nn.LSTM(3, hidden, batch_first=True)
        self.fc = nn.Linear(hidden, 1)

    def forward(self, x):
        return self.fc(self.lstm(x)[0][:, -1])


torch.manual_seed(0)
net = Net(**CONFIG["model"])
opt = torch.optim.SGD(net.parameters(), **CONFIG["optim"])  #!
x = torch.randn(200, 8, 3)
y = x.sum((1, 2)).unsqueeze(1) / 3
for e in range(CONFIG["epochs"]):
    for i in range(0, 200, 20):
        loss = nn.functional.mse_loss(net(x[i : i + 20]), y[i : i + 20])
        opt.zero_grad()
        loss.backward()
        opt.step()
