import torch
import torch.nn as nn
torch.manual_seed(0)
class LM(nn.Module):
    def __init__(self, v=25, d=24):
        super().__init__()
        self.e, self.l, self.o = nn.Embedding(v, d), nn.LSTM(d, d, batch_first=True), nn.Linear(d, v)
    def forward(self, x): return self.o(self.l(self.e(x))[0])
m = LM()
opt = torch.optim.AdamW(m.parameters(), lr=5.0)  #-!
opt = torch.optim.AdamW(m.parameters(), lr=5e-3)  #+
for i in range(50):
    s = torch.randint(0, 25, (16, 1)); x = (s + torch.arange(9)) % 25
    loss = nn.functional.cross_entropy(m(x[:, :-1]).flatten(0, 1), x[:, 1:].flatten())
    opt.zero_grad(); loss.backward(); opt.step()
