import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(480, 9)
y = x[:, :1] - x[:, 1:2]
loader = DataLoader(TensorDataset(x, y), batch_size=10, shuffle=True)
net = nn.Sequential(nn.Linear(9, 18), nn.Mish(), nn.Linear(18, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.01)
ACC = 3
it = iter(loader)
for update in range(16):
    opt.zero_grad(set_to_none=True)
    for _ in range(ACC):
        xb, yb = next(it)
        loss = nn.functional.huber_loss(net(xb), yb)
        loss.backward()  #-!
        (loss / ACC).backward()  #+
    opt.step()
