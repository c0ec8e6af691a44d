import torch
import torch.nn as nn
class Tiny(nn.Module):
    def __init__(self, v=20, d=16):
        super().__init__()
        self.e = nn.Embedding(v, d)
        self.enc = nn.TransformerEncoderLayer(d, 2, 32, batch_first=True, dropout=0.0)
        self.o = nn.Linear(d, v)
    def forward(self, x): return self.o(self.enc(self.e(x)))
torch.manual_seed(0)
net = Tiny()
opt = torch.optim.Adam(net.parameters(), lr=1.0)  #-!
opt = torch.optim.Adam(net.parameters(), lr=3e-3)  #+
for i in range(60):
    x = torch.randint(0, 20, (16, 8))
    loss = nn.functional.cross_entropy(net(x).flatten(0, 1), x.flatten())
    opt.zero_grad(); loss.backward(); opt.step()
