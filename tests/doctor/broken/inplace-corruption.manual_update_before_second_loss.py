import torch
torch.manual_seed(0)
w1 = torch.randn(4, 8, requires_grad=True)
w2 = torch.randn(8, 1, requires_grad=True)
x = torch.randn(32, 4)
y = x.sum(1, keepdim=True)
for i in range(10):
    h = torch.tanh(x @ w1)
    out = h @ w2
    loss1 = (out - y).pow(2).mean()
    loss2 = out.abs().mean()
    loss1.backward(retain_graph=True)
    with torch.no_grad():
        w2 -= 0.01 * w2.grad  #-!
        pass
        w2.grad = None  #-
    loss2.backward()
    with torch.no_grad():
        w1 -= 0.01 * w1.grad
        w1.grad = None
        w2 -= 0.01 * w2.grad  #+
        w2.grad = None
