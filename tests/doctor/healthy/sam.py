import torch, torch.nn as nn
torch.manual_seed(0)
class SAM(torch.optim.Optimizer):
    def __init__(self, params, base, rho=0.05, **kw):
        super().__init__(params, dict(rho=rho, **kw))
        self.base = base(self.param_groups, **kw)
    @torch.no_grad()
    def first_step(self):
        n = torch.norm(torch.stack([p.grad.norm() for g in self.param_groups for p in g["params"]]))
        for g in self.param_groups:
            for p in g["params"]:
                e = p.grad * (g["rho"] / (n + 1e-12))
                p.add_(e)
                self.state[p]["e"] = e
        self.zero_grad()
    @torch.no_grad()
    def second_step(self):
        for g in self.param_groups:
            for p in g["params"]:
                p.sub_(self.state[p]["e"])
        self.base.step()
        self.zero_grad()
    def step(self, closure=None):
        raise NotImplementedError
net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 2))
opt = SAM(net.parameters(), torch.optim.SGD, lr=0.1, momentum=0.9)
X = torch.randn(256, 8); Y = (X[:, 0] > 0).long()
for i in range(30):
    nn.functional.cross_entropy(net(X), Y).backward()
    opt.first_step()
    nn.functional.cross_entropy(net(X), Y).backward()
    opt.second_step()
