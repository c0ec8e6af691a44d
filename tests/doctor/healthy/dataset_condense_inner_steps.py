import torch, torch.nn as nn
torch.manual_seed(0)
syn = torch.randn(6, 4, requires_grad=True); lab = torch.arange(6) % 2
outer = torch.optim.SGD([syn], lr=1.0)
X = torch.randn(200, 4); Y = (X[:, 0] > 0).long()
for it in range(20):
    w = torch.randn(4, 2) * 0.1
    w.requires_grad_()
    for k in range(3):
        l = nn.functional.cross_entropy(syn @ w, lab)
        g, = torch.autograd.grad(l, w, create_graph=True); w = w - 0.5 * g
    loss = nn.functional.cross_entropy(X @ w, Y)
    outer.zero_grad(); loss.backward(); outer.step()
