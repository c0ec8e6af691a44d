import torch, torch.nn as nn
torch.manual_seed(0)
trunk, a, b = nn.Sequential(nn.Linear(6, 24), nn.ReLU()), nn.Linear(24, 1), nn.Linear(24, 3)
ls = nn.Parameter(torch.zeros(2))
o1 = torch.optim.Adam(trunk.parameters(), 1e-3)
o2 = torch.optim.SGD([*a.parameters(), *b.parameters(), ls], lr=1e-2)
for i in range(40):
    x = torch.randn(64, 6); h = trunk(x)
    la = nn.functional.mse_loss(a(h), x[:, :1]); lb = nn.functional.cross_entropy(b(h), x[:, :3].argmax(1))
    loss = (torch.exp(-ls) * torch.stack([la, lb]) + ls).sum()
    for o in (o1, o2): o.zero_grad()
    loss.backward()
    for o in (o1, o2): o.step()
