import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
conv = nn.Conv2d(1, 4, 3)
fc = nn.Linear(4 * 36, 5)
opt = torch.optim.SGD([*conv.parameters(), *fc.parameters()], lr=0.1)


def predict(img):
    out = fc(F.relu(conv(img)).flatten(1))
    return torch.sigmoid(out)  #-!
    return out  #+


for _ in range(15):
    img = torch.randn(16, 1, 8, 8)
    y = img.flatten(1)[:, :5].argmax(1)
    loss = F.cross_entropy(predict(img), y)  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
