import torch
from torch import nn
from torch.optim.swa_utils import SWALR, AveragedModel, update_bn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(96, 5)
loader = DataLoader(TensorDataset(x, (x[:, 0] > 0).long()), batch_size=24, shuffle=True)
net = nn.Sequential(nn.Linear(5, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 2))
swa = AveragedModel(net)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
sched = SWALR(opt, swa_lr=0.05)
for epoch in range(8):
    for bx, by in loader:
        opt.zero_grad()
        nn.functional.cross_entropy(net(bx), by).backward()
        opt.step()
    if epoch >= 4:
        swa.update_parameters(net)
        sched.step()
update_bn(loader, swa)
