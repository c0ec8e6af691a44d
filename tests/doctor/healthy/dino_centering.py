import copy, torch, torch.nn.functional as F
from torch import nn
torch.manual_seed(0)
student = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 12))
teacher = copy.deepcopy(student)
for p in teacher.parameters():
    p.requires_grad_(False)
center = torch.zeros(1, 12)
opt = torch.optim.AdamW(student.parameters(), lr=2e-3)
for it in range(60):
    base = torch.randn(32, 16)
    v1, v2 = base + 0.1 * torch.randn_like(base), base + 0.1 * torch.randn_like(base)
    s1, s2 = student(v1) / 0.1, student(v2) / 0.1
    with torch.no_grad():
        t1, t2 = teacher(v1), teacher(v2)
    def H(t, s):
        t = F.softmax((t - center) / 0.04, dim=1)
        return -(t * F.log_softmax(s, dim=1)).sum(1).mean()
    loss = (H(t1, s2) + H(t2, s1)) / 2
    opt.zero_grad(); loss.backward(); opt.step()
    with torch.no_grad():
        for ps, pt in zip(student.parameters(), teacher.parameters()):
            pt.mul_(0.99).add_(ps, alpha=0.01)
        center = 0.9 * center + 0.1 * torch.cat([t1, t2]).mean(0, keepdim=True)
