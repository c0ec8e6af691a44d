import torch
import torch.nn as nn
class CenterLoss(nn.Module):
    def __init__(self, k, d):
        super().__init__()
        self.centers = nn.Parameter(torch.randn(k, d))  #!
    def forward(self, f, y):
        return (f - self.centers[y]).pow(2).sum(1).mean()
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
clf = nn.Linear(4, 3)
center = CenterLoss(3, 4)
opt = torch.optim.SGD([*net.parameters(), *clf.parameters()], lr=0.05)  #-!
opt = torch.optim.SGD([*net.parameters(), *clf.parameters(), *center.parameters()], lr=0.05)  #+
for i in range(30):
    x = torch.randn(32, 8)
    y = x[:, :3].argmax(1)
    f = net(x)
    loss = nn.functional.cross_entropy(clf(f), y) + 0.1 * center(f, y)
    opt.zero_grad(); loss.backward(); opt.step()
