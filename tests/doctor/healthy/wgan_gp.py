import torch
import torch.nn as nn

torch.manual_seed(0)
critic = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 1))
gen = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 2))
oc = torch.optim.Adam(critic.parameters(), lr=1e-3)
og = torch.optim.Adam(gen.parameters(), lr=1e-3)
for step in range(12):
    for _ in range(3):
        real = torch.randn(16, 2)
        fake = gen(torch.randn(16, 3)).detach()
        mix = (real + fake).div(2).requires_grad_()
        gp = torch.autograd.grad(critic(mix).sum(), mix, create_graph=True)[0].norm(dim=1)
        loss = critic(fake).mean() - critic(real).mean() + 10 * (gp - 1).pow(2).mean()
        oc.zero_grad()
        loss.backward()
        oc.step()
    loss_g = -critic(gen(torch.randn(16, 3))).mean()
    og.zero_grad()
    loss_g.backward()
    og.step()
