import torch
from torch import nn

torch.manual_seed(0)


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(5, 8, batch_first=True)

    def forward(self, x):
        return self.rnn(x)[1]


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(5, 8, batch_first=True)
        self.out = nn.Linear(8, 5)

    def forward(self, y, h):
        o, _ = self.rnn(y, h)
        return self.out(o)


encoder, decoder = Encoder(), Decoder()
optimizer = torch.optim.Adam(decoder.parameters(), lr=1e-3)  #-!
optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=1e-3)  #+
for step in range(15):
    src = torch.randn(8, 7, 5)
    tgt = src.flip(1)
    pred = decoder(torch.cat([torch.zeros(8, 1, 5), tgt[:, :-1]], 1), encoder(src))
    loss = nn.functional.mse_loss(pred, tgt)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
