import torch
torch.manual_seed(0)
yy, xx = torch.meshgrid(torch.linspace(-1, 1, 24), torch.linspace(-1, 1, 24), indexing="ij")
def render(c, r): return torch.sigmoid((r - ((xx - c[0]) ** 2 + (yy - c[1]) ** 2 + 1e-6).sqrt()) * 10)
goal = render(torch.tensor([0.3, -0.2]), torch.tensor(0.5))
c, r = torch.zeros(2, requires_grad=True), torch.tensor(0.3, requires_grad=True); opt = torch.optim.Adam([c, r], lr=0.02)
for _ in range(60):
    opt.zero_grad(); (render(c, r) - goal).pow(2).mean().backward(); opt.step()
