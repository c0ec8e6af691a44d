import torch
import torch.nn as nn
class Engine:
    def __init__(self, net, clip=1.0, amp=True):
        self.net, self.clip = net, clip
        self.opt = torch.optim.SGD(net.parameters(), lr=0.1)
        self.scaler = torch.amp.GradScaler("cpu", enabled=amp)
    def update(self, loss):
        self.opt.zero_grad()
        self.scaler.scale(loss).backward()
        self.scaler.unscale_(self.opt)  #+
        if self.clip is not None:
            total = nn.utils.clip_grad_norm_(self.net.parameters(), self.clip)  #-!
            total = nn.utils.clip_grad_norm_(self.net.parameters(), self.clip)  #+
        self.scaler.step(self.opt)
        self.scaler.update()
torch.manual_seed(0)
e = Engine(nn.Linear(6, 1))
for i in range(12):
    x = torch.randn(16, 6)
    e.update((e.net(x) - x[:, :1]).pow(2).mean())
