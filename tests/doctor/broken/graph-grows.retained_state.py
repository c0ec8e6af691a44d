import torch

torch.manual_seed(0)
cell = torch.nn.GRUCell(2, 6)
out = torch.nn.Linear(6, 2)
params = list(cell.parameters()) + list(out.parameters())
opt = torch.optim.SGD(params, lr=1e-4)
h = torch.zeros(5, 6)
for t in range(12):
    x = torch.randn(5, 2)
    h = cell(x, h)  #-!
    h = cell(x, h.detach())  #+
    loss = ((out(h) - x) ** 2).mean()
    grads = torch.autograd.grad(loss, params, retain_graph=True)  #-
    loss.backward(retain_graph=True)  #-
    loss.backward()  #+
    with torch.no_grad():
        for p in params:
            p.data.add_(p.grad, alpha=-1e-4)
            p.grad = None
