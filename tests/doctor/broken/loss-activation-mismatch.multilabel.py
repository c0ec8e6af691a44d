import torch
import torch.nn as nn


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(5, 10, bidirectional=True, batch_first=True)
        self.lin = nn.Linear(20, 6)

    def forward(self, x):
        h, _ = self.rnn(x)
        scores = self.lin(h.max(1).values)
        return scores.sigmoid()  #-!
        return scores  #+


torch.manual_seed(0)
tagger = Tagger()
loss_fn = nn.BCEWithLogitsLoss(pos_weight=torch.full((6,), 2.0))
optimizer = torch.optim.Adam(tagger.parameters(), lr=3e-3)
for step in range(30):
    x = torch.randn(16, 4, 5)
    y = (x.mean(1).repeat(1, 2)[:, :6] > 0.2).float()
    loss = loss_fn(tagger(x), y)  #!
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
