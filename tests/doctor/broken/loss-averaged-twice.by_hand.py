import torch

torch.manual_seed(0)
w = torch.zeros(4, 1, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
n = 24
for _ in range(15):
    x = torch.randn(n, 4)
    loss = (x @ w - x[:, :1]).pow(2).mean() * (1 / n)  #-!
    loss = (x @ w - x[:, :1]).pow(2).sum() * (1 / n)  #+
    opt.zero_grad()
    loss.backward()
    opt.step()
