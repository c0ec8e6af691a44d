import torch
from torch import nn

torch.manual_seed(0)


def block(i, o, act):
    return nn.Sequential(nn.Conv2d(i, o, 3, padding=1), act)  #!


def make(act):
    return nn.Sequential(
        *[block(1 if k == 0 else 6, 6, act) for k in range(9)],
        nn.AdaptiveAvgPool2d(2),
        nn.Flatten(),
        nn.Linear(24, 2),
    )


cnn = make(nn.Sigmoid())  #-!
cnn = nn.Sequential(nn.Conv2d(1, 6, 3), nn.BatchNorm2d(6), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(24, 2))  #+
opt = torch.optim.SGD(cnn.parameters(), lr=0.05, momentum=0.9)
for step in range(40):
    img = torch.randn(16, 1, 8, 8)
    lab = torch.randint(0, 2, (16,))
    img[lab == 1, :, :4] += 1.5
    loss = nn.functional.cross_entropy(cnn(img), lab)
    opt.zero_grad()
    loss.backward()
    opt.step()
