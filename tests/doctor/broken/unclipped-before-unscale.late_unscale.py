import torch
import torch.nn.functional as F

torch.manual_seed(0)
net = torch.nn.Linear(6, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.05)
scaler = torch.amp.GradScaler("cpu")
for i in range(6):
    x = torch.randn(10, 6)
    loss = F.cross_entropy(net(x), x[:, :3].argmax(1))
    opt.zero_grad()
    scaler.scale(loss).backward()
    scaler.unscale_(opt)  #+
    torch.nn.utils.clip_grad_norm_(net.parameters(), max_norm=5.0)  #!
    scaler.unscale_(opt)  #-
    scaler.step(opt)
    scaler.update()
