import torch
import torch.nn as nn
torch.manual_seed(0)
H = 32
Wx = (torch.randn(1, H) * 0.5).requires_grad_()
Wh = (torch.randn(H, H) * 0.5).requires_grad_()  #!
Wo = (torch.randn(H, 1) * 0.1).requires_grad_()
opt = torch.optim.SGD([Wx, Wh, Wo], lr=1e-3)
for it in range(25):
    x = torch.randn(16, 25, 1)
    y = x.sum(1)
    h = torch.zeros(16, H)
    for t in range(25):
        h = torch.relu(x[:, t] @ Wx + h @ Wh)  #!
    loss = ((h @ Wo - y) ** 2).mean()
    opt.zero_grad()
    loss.backward()  #!
    torch.nn.utils.clip_grad_norm_([Wx, Wh, Wo], 0.1)  #+
    opt.step()
