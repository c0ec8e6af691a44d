import torch
from torch import nn

torch.manual_seed(0)
X = torch.randn(40, 3)
y = (X[:, 0] > 0).float()
w = torch.zeros(3, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.5)
for _ in range(50):
    loss = nn.functional.binary_cross_entropy_with_logits(X @ w, y) + 0.01 * w @ w
    opt.zero_grad()
    loss.backward()
    opt.step()


def obj(w):
    return nn.functional.binary_cross_entropy_with_logits(X @ w, y) + 0.01 * w @ w


H = torch.autograd.functional.hessian(obj, w.detach())
test = torch.randn(3)
g_test = torch.autograd.grad(nn.functional.binary_cross_entropy_with_logits(test @ w, torch.tensor(1.0)), w)[0]
ihvp = torch.linalg.solve(H, g_test)
for i in range(10):
    gi = torch.autograd.grad(nn.functional.binary_cross_entropy_with_logits(X[i] @ w, y[i]), w)[0]
    print(i, -(gi @ ihvp).item())
