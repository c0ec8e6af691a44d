import torch

torch.manual_seed(0)
lin = torch.nn.Linear(5, 1)
opt = torch.optim.SGD(lin.parameters(), lr=1e-8)  #-!
opt = torch.optim.SGD(lin.parameters(), lr=5e-2)  #+
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=30)
for _ in range(25):
    x = torch.linspace(-1, 1, 100).reshape(20, 5)
    loss = (lin(x) - x.mean(1, keepdim=True) - 2).abs().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
