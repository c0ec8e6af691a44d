import torch
import torch.nn as nn
torch.manual_seed(0)
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.c = nn.Conv2d(1, 4, 3)
        self.bn = nn.BatchNorm2d(4)
        self.d = nn.Dropout2d(0.25)
        self.f = nn.Linear(4 * 16, 2)
    def forward(self, x): return self.f(self.d(torch.relu(self.bn(self.c(x)))).flatten(1))
m = M()
m.train(mode=False)  #-!
m.train(mode=True)  #+
opt = torch.optim.Adam(m.parameters(), lr=1e-3)
for i in range(20):
    x = torch.randn(8, 1, 6, 6)
    loss = nn.functional.cross_entropy(m(x), (x.mean((1, 2, 3)) > 0).long())
    opt.zero_grad(); loss.backward(); opt.step()
