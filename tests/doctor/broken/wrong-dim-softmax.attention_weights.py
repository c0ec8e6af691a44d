import torch, torch.nn as nn
torch.manual_seed(0)
class Att(nn.Module):
    def __init__(self): super().__init__(); self.q, self.k, self.o = nn.Linear(6, 6), nn.Linear(6, 6), nn.Linear(6, 2)
    def forward(self, x):
        s = torch.bmm(self.q(x), self.k(x).transpose(1, 2))
        w = nn.functional.softmax(s, dim=0)  #-!
        w = nn.functional.softmax(s, dim=2)  #+
        return self.o(torch.bmm(w, x).mean(1))
m = Att(); opt = torch.optim.Adam(m.parameters(), 1e-2)
for i in range(25):
    x = torch.randn(12, 5, 6); loss = nn.functional.cross_entropy(m(x), (x[:, 0, 0] > 0).long())
    opt.zero_grad(); loss.backward(); opt.step()
