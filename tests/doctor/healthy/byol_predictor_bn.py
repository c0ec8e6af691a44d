import copy
import torch
from torch import nn

torch.manual_seed(0)
online = nn.Sequential(nn.Linear(10, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 8))
predictor = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 8))
target = copy.deepcopy(online)
opt = torch.optim.Adam([*online.parameters(), *predictor.parameters()], lr=1e-3)
view = lambda x: x + 0.1 * torch.randn_like(x)
for step in range(25):
    x = torch.randn(48, 10)
    v1, v2 = view(x), view(x)
    p1, p2 = predictor(online(v1)), predictor(online(v2))
    with torch.no_grad():
        t1, t2 = target(v1), target(v2)
    loss = 2 - nn.functional.cosine_similarity(p1, t2).mean() - nn.functional.cosine_similarity(p2, t1).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    for o, t in zip(online.parameters(), target.parameters()):
        t.data = 0.99 * t.data + 0.01 * o.data
