"""A Wasserstein GAN with gradient penalty: the loss contains a gradient."""

import torch
import torch.autograd as autograd
import torch.nn as nn
import torch.optim as optim

torch.manual_seed(1)
DIM, BATCH, LAMBDA, CRITIC_ITERS = 32, 64, 0.1, 3


def critic_or_generator(inputs, outputs):
    return nn.Sequential(
        nn.Linear(inputs, DIM),
        nn.ReLU(True),
        nn.Linear(DIM, DIM),
        nn.ReLU(True),
        nn.Linear(DIM, outputs),
    )


def weights_init(m):
    if m.__class__.__name__.find("Linear") != -1:
        m.weight.data.normal_(0.0, 0.1)
        m.bias.data.fill_(0)


def calc_gradient_penalty(netD, real_data, fake_data):
    alpha = torch.rand(BATCH, 1)
    alpha = alpha.expand(real_data.size())
    interpolates = alpha * real_data + ((1 - alpha) * fake_data)
    interpolates = autograd.Variable(interpolates, requires_grad=True)
    disc_interpolates = netD(interpolates)
    gradients = autograd.grad(
        outputs=disc_interpolates,
        inputs=interpolates,
        grad_outputs=torch.ones(disc_interpolates.size()),
        create_graph=True,
        retain_graph=True,
        only_inputs=True,
    )[0]
    return ((gradients.norm(2, dim=1) - 1) ** 2).mean() * LAMBDA


def real_batch():
    centres = torch.tensor([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    return centres[torch.randint(0, 4, (BATCH,))] + 0.05 * torch.randn(BATCH, 2)


netG, netD = critic_or_generator(4, 2), critic_or_generator(2, 1)
netG.apply(weights_init)
netD.apply(weights_init)
optimizerD = optim.Adam(netD.parameters(), lr=1e-3, betas=(0.5, 0.9))
optimizerG = optim.Adam(netG.parameters(), lr=1e-3, betas=(0.5, 0.9))
for iteration in range(30):
    for p in netD.parameters():
        p.requires_grad = True
    for _ in range(CRITIC_ITERS):
        real = real_batch()
        netD.zero_grad()
        D_real = netD(real).mean()
        with torch.no_grad():
            noise = torch.randn(BATCH, 4)
        fake = netG(noise).data
        D_fake = netD(fake).mean()
        penalty = calc_gradient_penalty(netD, real, fake)
        D_cost = D_fake - D_real + penalty
        D_cost.backward()
        optimizerD.step()
    for p in netD.parameters():
        p.requires_grad = False
    netG.zero_grad()
    G_cost = -netD(netG(torch.randn(BATCH, 4))).mean()
    G_cost.backward()
    optimizerG.step()
    if iteration % 5 == 0 or iteration == 29:
        print(
            f"iter {iteration} critic {D_cost.item():.5f} generator {G_cost.item():.5f} "
            f"penalty {penalty.item():.5f}"
        )
