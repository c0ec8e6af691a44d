import torch
torch.manual_seed(0)
N, D_in, H, D_out = 64, 20, 10, 3
x = torch.randn(N, D_in)
y = torch.randn(N, D_out)
w1 = torch.randn(D_in, H, requires_grad=True)
w2 = torch.randn(H, D_out, requires_grad=True)
lr = 1e-6
for t in range(100):
    y_pred = x.mm(w1).clamp(min=0).mm(w2)
    loss = (y_pred - y).pow(2).sum()
    loss.backward()  #!
    w1.data -= lr * w1.grad.data  #!
    w2.data -= lr * w2.grad.data  #!
    w1.grad.data.zero_()  #+
    w2.grad.data.zero_()  #+
