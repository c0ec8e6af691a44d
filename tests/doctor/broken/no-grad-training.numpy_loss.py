import numpy as np
import torch
import torch.nn as nn

torch.manual_seed(0)
np.random.seed(0)

def dice_loss(pred, target):
    p = torch.sigmoid(pred).detach().numpy()  #-!
    t = target.numpy()  #-
    inter = (p * t).sum()  #-
    p = torch.sigmoid(pred)  #+
    t = target  #+
    inter = (p * t).sum()  #+
    dice = (2 * inter + 1) / (p.sum() + t.sum() + 1)
    return torch.tensor(1 - dice, requires_grad=True)  #-!
    return 1 - dice  #+

model = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 1, 3, padding=1))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
imgs = torch.randn(8, 1, 16, 16)
masks = (imgs > 0.3).float()
for step in range(25):
    opt.zero_grad()
    loss = dice_loss(model(imgs), masks)
    loss.backward()
    opt.step()
    if step % 5 == 0:
        print(step, float(loss))
