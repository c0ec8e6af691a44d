import torch

torch.manual_seed(0)
w = torch.nn.Parameter(torch.eye(6) * 1.6 + 0.1 * torch.randn(6, 6))  #!
opt = torch.optim.SGD([w], lr=0.01)
for it in range(20):
    x = torch.randn(10, 6)
    y = x.clone()
    h = x
    for _ in range(20):
        h = h @ w  #-!
        h = torch.tanh(h @ w)  #+
    loss = (h - y).pow(2).mean()
    opt.zero_grad()
    loss.backward()  #!
    opt.step()
