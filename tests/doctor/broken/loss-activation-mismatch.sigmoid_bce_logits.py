import torch
from torch import nn

torch.manual_seed(0)
unet = nn.Sequential(nn.Conv2d(1, 6, 3, padding=1), nn.ReLU(), nn.Conv2d(6, 1, 3, padding=1))
opt = torch.optim.Adam(unet.parameters(), lr=1e-2)
loss_fn = nn.BCEWithLogitsLoss()
for it in range(12):
    img = torch.randn(4, 1, 10, 10)
    mask = (img > 0.5).float()
    pred = torch.sigmoid(unet(img))  #-!
    pred = unet(img)  #+
    loss = loss_fn(pred, mask)  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
