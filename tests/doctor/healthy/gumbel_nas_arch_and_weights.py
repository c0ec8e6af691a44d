import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
ops = nn.ModuleList([nn.Linear(6, 6), nn.Sequential(nn.Linear(6, 6), nn.ReLU()), nn.Identity()])
alpha = nn.Parameter(torch.zeros(3))
head = nn.Linear(6, 2)
w_opt = torch.optim.SGD([*ops.parameters(), *head.parameters()], lr=0.05)
a_opt = torch.optim.Adam([alpha], lr=1e-2)


def run(x):
    w = F.gumbel_softmax(alpha, tau=1.0)
    return head(sum(wi * op(x) for wi, op in zip(w, ops)))


for _ in range(20):
    x, xv = torch.randn(32, 6), torch.randn(32, 6)
    w_opt.zero_grad()
    F.cross_entropy(run(x), (x[:, 0] > 0).long()).backward()
    w_opt.step()
    a_opt.zero_grad()
    F.cross_entropy(run(xv), (xv[:, 0] > 0).long()).backward()
    a_opt.step()
