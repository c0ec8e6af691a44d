import torch

torch.manual_seed(0)
Wx = (torch.randn(3, 16) * 0.3).requires_grad_()
Wh = (torch.randn(16, 16) * 0.8).requires_grad_()  #-!
Wh = (torch.randn(16, 16) * 0.15).requires_grad_()  #+
Wo = (torch.randn(16, 1) * 0.3).requires_grad_()
opt = torch.optim.SGD([Wx, Wh, Wo], lr=1e-3)
for _ in range(20):
    x = torch.randn(20, 32, 3)
    h = torch.zeros(32, 16)
    for t in range(20):
        h = x[t] @ Wx + h @ Wh  #!
    loss = (h @ Wo - x[-1, :, :1]).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
