import torch, torch.nn as nn
from torch.optim.swa_utils import AveragedModel, SWALR
torch.manual_seed(0)
m = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1)); opt = torch.optim.SGD(m.parameters(), 0.05)
avg = AveragedModel(m); sch = SWALR(opt, swa_lr=0.02)
X = torch.randn(128, 5); Y = X.sum(1, keepdim=True)
for e in range(40):
    loss = nn.functional.mse_loss(m(X), Y)
    opt.zero_grad(); loss.backward(); opt.step()
    if e > 20: avg.update_parameters(m); sch.step()
print(nn.functional.mse_loss(avg(X), Y).item())
