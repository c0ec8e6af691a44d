import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(5, 2)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
sched = torch.optim.lr_scheduler.StepLR(opt, step_size=1, gamma=0.5)
for epoch in range(5):
    sched.step()  #-!
    for _ in range(4):
        x = torch.randn(8, 5)
        loss = nn.functional.cross_entropy(model(x), (x[:, 0] > 0).long())
        opt.zero_grad()
        loss.backward()
        opt.step()
    sched.step()  #+
