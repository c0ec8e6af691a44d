import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
images = torch.randn(48, 1, 8, 8)
masks = (images > 0).float()
loader = DataLoader(TensorDataset(images, masks), batch_size=4, shuffle=True)
seg = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 1, 1))
opt = torch.optim.SGD(seg.parameters(), lr=0.1)
accum_iter = 3
for epoch in range(2):
    for batch_idx, (img, mask) in enumerate(loader):
        out = seg(img)
        loss = nn.BCEWithLogitsLoss()(out, mask)
        loss = loss / accum_iter  #+
        loss.backward()  #!
        if ((batch_idx + 1) % accum_iter == 0) or (batch_idx + 1 == len(loader)):
            opt.step()  #!
            opt.zero_grad()
