import torch
from torch import nn

torch.manual_seed(0)
svm = nn.Linear(6, 1)
opt = torch.optim.SGD(svm.parameters(), lr=0.05, weight_decay=1e-3)
for _ in range(60):
    x = torch.randn(40, 6)
    y = (x[:, :1] > 0).float() * 2 - 1
    loss = (1 - y * svm(x)).clamp(min=0).mean()
    opt.zero_grad(); loss.backward(); opt.step()
