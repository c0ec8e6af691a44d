import torch
import torch.nn as nn
class Siamese(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Sequential(nn.Linear(7, 16), nn.ReLU(), nn.Linear(16, 8))
        self.cls = nn.Linear(8, 1)
    def forward(self, a, b):
        with torch.no_grad():  #-!
            ea, eb = self.embed(a), self.embed(b)  #-
        ea, eb = self.embed(a), self.embed(b)  #+
        return self.cls((ea - eb).abs())
torch.manual_seed(0)
net = Siamese()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
crit = nn.BCEWithLogitsLoss()
for it in range(30):
    a = torch.randn(32, 7)
    same = (torch.rand(32, 1) > 0.5).float()
    b = same * a + (1 - same) * torch.randn(32, 7)
    loss = crit(net(a, b), same)
    opt.zero_grad()
    loss.backward()
    opt.step()
