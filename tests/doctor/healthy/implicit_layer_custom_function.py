import torch
class Root(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        x = torch.ones_like(a)
        for _ in range(20): x = x - (x ** 3 + x - a) / (3 * x ** 2 + 1)
        ctx.save_for_backward(x); return x
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors; return g / (3 * x ** 2 + 1)
torch.manual_seed(0)
lin = torch.nn.Linear(3, 1); opt = torch.optim.Adam(lin.parameters(), lr=0.05)
for _ in range(40):
    x = torch.randn(32, 3); loss = (Root.apply(lin(x)) - x[:, :1]).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
