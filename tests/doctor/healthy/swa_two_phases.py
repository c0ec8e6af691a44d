import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel, SWALR, update_bn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(5, 20), nn.BatchNorm1d(20), nn.ReLU(), nn.Linear(20, 1))
swa = AveragedModel(model)
opt = torch.optim.SGD(model.parameters(), lr=0.05)
swa_sched = SWALR(opt, swa_lr=0.02)
X = torch.randn(128, 5)
y = X.sum(1, keepdim=True)
loader = list(zip(X.split(32), y.split(32)))
for epoch in range(10):
    for xb, yb in loader:
        opt.zero_grad()
        nn.functional.mse_loss(model(xb), yb).backward()
        opt.step()
    if epoch >= 5:
        swa.update_parameters(model)
        swa_sched.step()
update_bn([x for x, _ in loader], swa)
swa.eval()
with torch.no_grad():
    swa(X)
