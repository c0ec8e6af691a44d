import torch
from torch import nn

torch.manual_seed(0)


def dice_loss(pred, target):
    inter = (pred * target).sum()
    union = pred.sum() + target.sum()
    score = 1 - (2 * inter + 1) / (union + 1)
    return torch.tensor(score.item(), requires_grad=True)  #-!
    return score  #+


model = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.ReLU(), nn.Conv2d(4, 1, 1), nn.Sigmoid())
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for it in range(12):
    img = torch.rand(4, 1, 10, 10)
    mask = (img > 0.5).float()
    opt.zero_grad()
    loss = dice_loss(model(img), mask)
    loss.backward()
    opt.step()
