import torch, torch.nn as nn
torch.manual_seed(0)
D = nn.Sequential(nn.utils.spectral_norm(nn.Linear(4, 16)), nn.LeakyReLU(0.1), nn.utils.spectral_norm(nn.Linear(16, 1)))
opt = torch.optim.Adam(D.parameters(), 1e-3)
for i in range(40):
    r = torch.randn(32, 4) + 1; f = torch.randn(32, 4) - 1
    r.requires_grad_()
    dr = D(r)
    g = torch.autograd.grad(dr.sum(), r, create_graph=True)[0]
    loss = nn.functional.softplus(-dr).mean() + nn.functional.softplus(D(f)).mean() + 0.1 * g.pow(2).sum(1).mean()
    opt.zero_grad(); loss.backward(); opt.step()
