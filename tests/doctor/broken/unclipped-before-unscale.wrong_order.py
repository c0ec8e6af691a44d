import torch
from torch import nn

torch.manual_seed(0)
net = nn.GRU(5, 10, batch_first=True)
fc = nn.Linear(10, 2)
params = list(net.parameters()) + list(fc.parameters())
optimizer = torch.optim.Adam(params, lr=1e-3)
scaler = torch.amp.GradScaler("cpu", init_scale=2.0**12)
for batch in range(10):
    x, y = torch.randn(8, 6, 5), torch.randint(0, 2, (8,))
    loss = nn.functional.cross_entropy(fc(net(x)[0][:, -1]), y)
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)  #+
    norm = nn.utils.clip_grad_norm_(params, max_norm=0.25)  #!
    scaler.unscale_(optimizer)  #-
    scaler.step(optimizer)
    scaler.update()
