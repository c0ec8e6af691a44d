import torch
torch.manual_seed(0)
x = torch.cat([torch.randn(20, 8) + 3 * k for k in range(3)])
P = torch.softmax(-torch.cdist(x, x).pow(2) / 8 - 1e9 * torch.eye(60), 1)
P = (P + P.T) / 120
y = (torch.randn(60, 2) * 1e-2).requires_grad_()
opt = torch.optim.SGD([y], lr=50.0, momentum=0.5)
for i in range(100):
    q = 1 / (1 + (y.unsqueeze(0) - y.unsqueeze(1)).pow(2).sum(-1))
    q = q * (1 - torch.eye(60))
    q = q / q.sum()
    loss = (P * ((P + 1e-9).log() - (q + 1e-9).log())).sum()
    opt.zero_grad(); loss.backward(); opt.step()
