import torch
from torch import nn


class LSTMClassifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(4, 8, batch_first=True)
        self.fc = nn.Linear(8, 1)
        self.act = nn.Sigmoid()

    def forward(self, x):
        _, (h, _) = self.rnn(x)
        return self.act(self.fc(h[-1])).squeeze(1)  #-!
        return self.fc(h[-1]).squeeze(1)  #+


torch.manual_seed(0)
net = LSTMClassifier()
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
loss_fn = nn.BCEWithLogitsLoss(pos_weight=torch.tensor(2.0))
for _ in range(15):
    x = torch.randn(16, 6, 4)
    y = (x[:, :, 0].mean(1) > 0).float()
    loss = loss_fn(net(x), y)  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
