import copy
import torch, torch.nn as nn
import torch.nn.functional as F
torch.manual_seed(0)
q = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 8))
k = copy.deepcopy(q)
for p in k.parameters(): p.requires_grad = False
queue = F.normalize(torch.randn(256, 8), dim=1)
ptr = 0
opt = torch.optim.SGD(q.parameters(), lr=0.03, momentum=0.9, weight_decay=1e-4)
for i in range(40):
    x = torch.randn(32, 10)
    zq = F.normalize(q(x + 0.05 * torch.randn_like(x)), dim=1)
    with torch.no_grad():
        for a, b in zip(q.parameters(), k.parameters()): b.data.mul_(0.99).add_(a.data, alpha=0.01)
        zk = F.normalize(k(x + 0.05 * torch.randn_like(x)), dim=1)
    pos = (zq * zk).sum(1, keepdim=True)
    neg = zq @ queue.clone().t()
    logits = torch.cat([pos, neg], 1) / 0.2
    loss = F.cross_entropy(logits, torch.zeros(32, dtype=torch.long))
    opt.zero_grad(); loss.backward(); opt.step()
    queue[ptr:ptr + 32] = zk
    ptr = (ptr + 32) % 256
