import torch

torch.manual_seed(0)
W1 = (torch.randn(6, 12) * 0.4).requires_grad_()
W2 = (torch.randn(12, 1) * 0.3).requires_grad_()
lr = 1e-10  #-!
lr = 1e-1  #+
x = torch.randn(80, 6)
y = x.sum(1, keepdim=True)
for _ in range(40):
    loss = (torch.tanh(x @ W1) @ W2 - y).pow(2).mean()
    loss.backward()
    for w in (W1, W2):
        w.data -= lr * w.grad  #!
        w.grad.zero_()
