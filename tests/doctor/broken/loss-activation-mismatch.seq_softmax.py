import torch
import torch.nn as nn
torch.manual_seed(0)
class LM(nn.Module):
    def __init__(self, v=15, d=16):
        super().__init__()
        self.e, self.r, self.o = nn.Embedding(v, d), nn.GRU(d, d, batch_first=True), nn.Linear(d, v)
        self.softmax = nn.LogSoftmax(dim=-1)
    def forward(self, x):
        h, _ = self.r(self.e(x))
        return torch.softmax(self.o(h), dim=-1)  #-!
        return self.o(h)  #+
m = LM()
opt = torch.optim.Adam(m.parameters(), lr=1e-2)
crit = nn.CrossEntropyLoss(ignore_index=0)
for i in range(15):
    x = torch.randint(1, 15, (8, 9))
    out = m(x[:, :-1])
    loss = crit(out.reshape(-1, 15), x[:, 1:].reshape(-1))  #-!
    loss = crit(out.reshape(-1, 15), x[:, 1:].reshape(-1))  #+
    opt.zero_grad(); loss.backward(); opt.step()
