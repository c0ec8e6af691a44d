import torch

torch.manual_seed(0)
x = torch.randn(60, 5)
y = (x[:, 0] - x[:, 1] > 0).float()
w = torch.zeros(5, requires_grad=True)
b = torch.zeros((), requires_grad=True)
opt = torch.optim.SGD([w, b], lr=0.5)
for _ in range(25):
    loss = torch.nn.functional.binary_cross_entropy_with_logits(x @ w + b, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
