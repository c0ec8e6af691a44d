import torch, torch.nn as nn
class Fusion(nn.Module):
    def __init__(self):
        super().__init__()
        self.image = nn.Linear(10, 8)
        self.text = nn.Linear(6, 8)  #!
        self.head = nn.Linear(8, 2)
    def forward(self, a, b):
        za = torch.relu(self.image(a))
        zb = torch.relu(self.text(b))  #!
        return self.head(za)  #-!
        return self.head(za + zb)  #+
torch.manual_seed(0)
net = Fusion(); opt = torch.optim.Adam(net.parameters(), 1e-3)
for i in range(20):
    a, b = torch.randn(16, 10), torch.randn(16, 6)
    loss = nn.functional.cross_entropy(net(a, b), (a[:, 0] > 0).long())
    opt.zero_grad(); loss.backward(); opt.step()
