import torch

torch.manual_seed(0)
D, H, C = 200, 100, 4
W1 = torch.randn(D, H)  #-!
W1 = torch.randn(D, H) / D**0.5  #+
W2 = torch.randn(H, C)  #-!
W2 = torch.randn(H, C) / H**0.5  #+
b1, b2 = torch.zeros(H), torch.zeros(C)
params = [W1, b1, W2, b2]
for p in params:
    p.requires_grad_()
opt = torch.optim.SGD(params, lr=1e-2)
x = torch.randn(200, D)
y = x[:, :C].argmax(1)
for step in range(30):
    logits = torch.tanh(x @ W1 + b1) @ W2 + b2
    loss = torch.nn.functional.cross_entropy(logits, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
