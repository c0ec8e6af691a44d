import torch

torch.manual_seed(0)
w = torch.randn(5, 4, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.5)
x = torch.randn(30, 5)
labels = x[:, :4].argmax(1)
rows = torch.arange(30)
for _ in range(10):
    p = torch.softmax(x @ w, dim=0)  #-!
    p = torch.softmax(x @ w, dim=1)  #+
    loss = -p.log()[rows, labels].mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
