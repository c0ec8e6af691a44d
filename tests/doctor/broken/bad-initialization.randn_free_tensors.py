import torch

torch.manual_seed(0)
D, H, C = 30, 50, 4
W1 = torch.randn(D, H, requires_grad=True)  #-!
W2 = torch.randn(H, H, requires_grad=True)  #-!
W3 = torch.randn(H, C, requires_grad=True)  #-!
W1 = (torch.randn(D, H) / D**0.5).requires_grad_()  #+
W2 = (torch.randn(H, H) / H**0.5).requires_grad_()  #+
W3 = (torch.randn(H, C) / H**0.5).requires_grad_()  #+
opt = torch.optim.SGD([W1, W2, W3], lr=1e-2)
x = torch.randn(128, D)
y = x[:, :C].argmax(1)
for _ in range(40):
    h = torch.tanh(torch.tanh(x @ W1) @ W2)
    loss = torch.nn.functional.cross_entropy(h @ W3, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
