import torch
from torch import nn

torch.manual_seed(0)
net = nn.GRU(3, 24, batch_first=True)
head = nn.Linear(24, 1)
opt = torch.optim.Adam([*net.parameters(), *head.parameters()], 5e-3)
for stage, length in enumerate((2, 4, 8, 12)):
    for _ in range(15):
        x = torch.randn(16, length, 3)
        target = x[..., 0].cumsum(1)[..., None] / (stage + 1)
        loss = nn.functional.mse_loss(head(net(x)[0]), target)
        opt.zero_grad()
        loss.backward()
        opt.step()
