import torch
from torch import nn

torch.manual_seed(0)
cnn = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(72, 4))
opt = torch.optim.SGD(cnn.parameters(), lr=5.0, momentum=0.9)  #-!
opt = torch.optim.SGD(cnn.parameters(), lr=0.02, momentum=0.9)  #+
sched = torch.optim.lr_scheduler.StepLR(opt, step_size=20, gamma=0.9)
for step in range(40):
    y = torch.randint(0, 4, (32,))
    x = torch.randn(32, 3, 8, 8)
    x[:, 0] += y.view(-1, 1, 1).float() - 1.5
    loss = nn.functional.cross_entropy(cnn(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
