import torch
from torch import nn
torch.manual_seed(0)
net = nn.LSTM(4, 12, batch_first=True)
fc = nn.Linear(12, 1)
ps = list(net.parameters()) + list(fc.parameters())
opt = torch.optim.SGD(ps, lr=0.1)
sc = torch.amp.GradScaler("cpu", init_scale=512.)
for i in range(12):
    x = torch.randn(8, 6, 4)
    o, _ = net(x)
    loss = (fc(o[:, -1]) - x[:, 0, :1]).pow(2).mean()
    opt.zero_grad()
    sc.scale(loss).backward()
    sc.unscale_(opt)  #+
    nn.utils.clip_grad_norm_(ps, 5.0)  #-!
    nn.utils.clip_grad_norm_(ps, 5.0)  #+
    sc.unscale_(opt)  #-
    sc.step(opt)
    sc.update()
