import torch
import torch.nn as nn
torch.manual_seed(0)
class Clf(nn.Module):
    def __init__(self):
        super().__init__()
        self.l1 = nn.Linear(8, 16)
        self.l2 = nn.Linear(16, 5)
        self.act = nn.Sigmoid()
    def forward(self, x):
        x = torch.relu(self.l1(x))
        x = self.l2(x)
        x = self.act(x)  #-!
        return x
m = Clf()
o = torch.optim.SGD(m.parameters(), lr=0.1)
for i in range(20):
    x = torch.randn(64, 8)
    y = x[:, :5].argmax(1)
    loss = nn.functional.cross_entropy(m(x), y)  #-!
    loss = nn.functional.cross_entropy(m(x), y)  #+
    o.zero_grad(); loss.backward(); o.step()
