import torch, torch.nn as nn
torch.manual_seed(0)
X = torch.rand(200, 2) * 4 - 2; Y = torch.sin(X[:, :1]) * torch.cos(X[:, 1:])
C = nn.Parameter(X[torch.randperm(200)[:20]].clone()); ls = nn.Parameter(torch.zeros(20)); out = nn.Linear(20, 1)
opt = torch.optim.Adam([C, ls, *out.parameters()], 1e-2)
for e in range(80):
    phi = torch.exp(-torch.cdist(X, C).pow(2) * ls.exp())
    loss = nn.functional.mse_loss(out(phi), Y)
    opt.zero_grad(); loss.backward(); opt.step()
