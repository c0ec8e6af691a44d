import torch, torch.nn as nn
torch.manual_seed(0)
T = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.Adam(T.parameters(), 1e-3)
x = torch.randn(256, 1); y = 0.8 * x + 0.6 * torch.randn(256, 1)
for i in range(60):
    perm = torch.randperm(256)
    joint, marg = T(torch.cat([x, y], 1)), T(torch.cat([x, y[perm]], 1))
    loss = -(joint.mean() - torch.logsumexp(marg, 0).squeeze() + torch.log(torch.tensor(256.0)))
    opt.zero_grad(); loss.backward(); opt.step()
