import torch

torch.manual_seed(0)
x = torch.randn(100, 3) * 2
y = x @ torch.tensor([[1.0], [2.0], [3.0]]) + 0.5
w = torch.zeros(3, 1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
opt = torch.optim.SGD([w, b], lr=0.5)  #-!
opt = torch.optim.SGD([w, b], lr=0.05)  #+
for i in range(25):
    loss = ((x @ w + b - y) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
