import numpy as np
import torch
from torch import nn


class ImageSet(torch.utils.data.Dataset):
    def __init__(self, n):
        rng = np.random.default_rng(0)
        self.images = rng.integers(0, 256, size=(n, 8, 8, 1), dtype=np.uint8)
        self.labels = (self.images[:, :4].mean((1, 2, 3)) > self.images[:, 4:].mean((1, 2, 3))).astype("int64")

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        img = torch.from_numpy(self.images[i]).permute(2, 0, 1).float()  #!
        img = img / 127.5 - 1  #+
        return img, int(self.labels[i])


torch.manual_seed(0)
loader = torch.utils.data.DataLoader(ImageSet(160), batch_size=16, shuffle=True)
net = nn.Sequential(nn.Conv2d(1, 8, 3), nn.Tanh(), nn.Flatten(), nn.Linear(8 * 36, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for epoch in range(4):
    for img, label in loader:  #!
        loss = nn.functional.cross_entropy(net(img), label)  #!
        opt.zero_grad()
        loss.backward()
        opt.step()
