import torch
from torch import nn

torch.manual_seed(0)


class CenterLoss(nn.Module):
    def __init__(self, n_classes, dim):
        super().__init__()
        self.centers = torch.zeros(n_classes, dim)

    def forward(self, feats, labels):
        one_hot = nn.functional.one_hot(labels, len(self.centers)).float()
        batch = one_hot.t() @ feats / (one_hot.sum(0).unsqueeze(1) + 1e-6)
        batch = batch.detach()  #+
        self.centers = 0.8 * self.centers + 0.2 * batch  #!
        return (feats - self.centers[labels]).pow(2).mean()  #-!
        return (feats - self.centers[labels]).pow(2).mean()  #+


net = nn.Sequential(nn.Linear(5, 8), nn.ReLU())
cls = nn.Linear(8, 3)
center = CenterLoss(3, 8)
opt = torch.optim.SGD([*net.parameters(), *cls.parameters()], lr=0.05)
for _ in range(15):
    x = torch.randn(30, 5)
    y = x[:, :3].argmax(1)
    f = net(x)
    loss = nn.functional.cross_entropy(cls(f), y) + 0.1 * center(f, y)
    opt.zero_grad()
    loss.backward(retain_graph=True)  #-
    loss.backward()  #+
    opt.step()
