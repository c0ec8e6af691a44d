import torch
from torch import nn
torch.manual_seed(0)
ops = nn.ModuleList([nn.Linear(6, 6), nn.Sequential(nn.Linear(6, 6), nn.ReLU()), nn.Identity()])
alpha = nn.Parameter(torch.zeros(3)); head = nn.Linear(6, 2)
w_opt = torch.optim.SGD([*ops.parameters(), *head.parameters()], lr=0.1, momentum=0.9)
a_opt = torch.optim.Adam([alpha], lr=0.01)
def net(x):
    w = alpha.softmax(0)
    return head(sum(wi * op(x) for wi, op in zip(w, ops)))
X = torch.randn(200, 6); Y = (X[:, 0].abs() > 0.7).long()
tr, va = torch.randperm(200).split(100)
for it in range(40):
    i = va[torch.randint(0, 100, (32,))]
    a_opt.zero_grad(); nn.functional.cross_entropy(net(X[i]), Y[i]).backward(); a_opt.step()
    i = tr[torch.randint(0, 100, (32,))]
    w_opt.zero_grad(); nn.functional.cross_entropy(net(X[i]), Y[i]).backward(); w_opt.step()
