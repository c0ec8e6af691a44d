import torch
import torch.nn as nn
class Seq2Seq:
    def __init__(self):
        self.encoder = nn.GRU(6, 16, batch_first=True)
        self.decoder = nn.GRU(6, 16, batch_first=True)
        self.out = nn.Linear(16, 6)
        self.optim = torch.optim.Adam(self.encoder.parameters(), lr=1e-3)  #-!
        self.optim = torch.optim.Adam([*self.encoder.parameters(), *self.decoder.parameters(), *self.out.parameters()], lr=1e-3)  #+
    def step(self, src, tgt):
        _, h = self.encoder(src)
        o, _ = self.decoder(tgt, h)
        loss = nn.functional.mse_loss(self.out(o), tgt)
        self.optim.zero_grad()
        loss.backward()
        self.optim.step()
        return loss.item()
torch.manual_seed(0)
s = Seq2Seq()
for i in range(25):
    x = torch.randn(8, 5, 6)
    s.step(x, x.flip(1))
