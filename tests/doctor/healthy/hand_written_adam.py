import torch

torch.manual_seed(0)


class MyAdam:
    def __init__(self, params, lr=1e-2):
        self.params = list(params)
        self.m = [torch.zeros_like(p) for p in self.params]
        self.v = [torch.zeros_like(p) for p in self.params]
        self.t, self.lr = 0, lr

    def zero_grad(self):
        for p in self.params:
            p.grad = None

    @torch.no_grad()
    def step(self):
        self.t += 1
        for p, m, v in zip(self.params, self.m, self.v):
            m.mul_(0.9).add_(p.grad, alpha=0.1)
            v.mul_(0.999).addcmul_(p.grad, p.grad, value=0.001)
            mh, vh = m / (1 - 0.9**self.t), v / (1 - 0.999**self.t)
            p.sub_(self.lr * mh / (vh.sqrt() + 1e-8))


net = torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1))
opt = MyAdam(net.parameters())
for _ in range(40):
    x = torch.randn(32, 4)
    loss = (net(x) - x.prod(1, keepdim=True)).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
