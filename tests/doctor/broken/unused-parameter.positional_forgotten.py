import torch
import torch.nn as nn
class Tiny(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok = nn.Embedding(20, 12)
        self.pos = nn.Embedding(8, 12)  #!
        self.enc = nn.TransformerEncoderLayer(12, 2, 24, batch_first=True)
        self.out = nn.Linear(12, 20)
    def forward(self, x):
        h = self.tok(x)
        h = h + self.pos(torch.arange(x.size(1)))  #+
        return self.out(self.enc(h))
torch.manual_seed(0)
net = Tiny()
opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
for i in range(15):
    x = torch.randint(0, 20, (8, 8))
    loss = nn.functional.cross_entropy(net(x).transpose(1, 2), x.flip(1))
    opt.zero_grad(); loss.backward(); opt.step()
