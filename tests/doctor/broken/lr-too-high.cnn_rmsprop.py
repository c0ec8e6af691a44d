import torch
from torch import nn

torch.manual_seed(0)
cnn = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(72, 4))


def make_optimizer(name, params):
    if name == "rmsprop":
        return torch.optim.RMSprop(params, lr=0.5)  #-!
        return torch.optim.RMSprop(params, lr=1e-3)  #+
    raise ValueError(name)


opt = make_optimizer("rmsprop", cnn.parameters())  #!
x = torch.randn(240, 1, 8, 8)
y = x.mean((2, 3))[:, 0].mul(16).long().clamp(-2, 1) + 2
for e in range(8):
    for k in range(0, 240, 24):
        opt.zero_grad()
        loss = nn.functional.cross_entropy(cnn(x[k:k + 24]), y[k:k + 24])
        loss.backward()
        opt.step()
