"""A mixture density network on a many-valued function, by the torch.distributions way."""

import torch
import torch.nn as nn
from torch.distributions import Categorical, Normal

torch.manual_seed(0)
y = torch.rand(400, 1) * 2 - 1
x = y + 0.3 * torch.sin(6.28 * y) + 0.03 * torch.randn(400, 1)


class MDN(nn.Module):
    def __init__(self, n_hidden, n_gaussians):
        super(MDN, self).__init__()
        self.z_h = nn.Sequential(nn.Linear(1, n_hidden), nn.Tanh())
        self.z_pi = nn.Linear(n_hidden, n_gaussians)
        self.z_mu = nn.Linear(n_hidden, n_gaussians)
        self.z_sigma = nn.Linear(n_hidden, n_gaussians)

    def forward(self, x):
        z_h = self.z_h(x)
        return (
            nn.functional.softmax(self.z_pi(z_h), -1),
            self.z_mu(z_h),
            torch.exp(self.z_sigma(z_h)),
        )


def mdn_loss(pi, mu, sigma, y):
    result = Normal(mu, sigma).log_prob(y.expand_as(mu)) + torch.log(pi)
    return -torch.logsumexp(result, dim=1).mean()


network = MDN(n_hidden=20, n_gaussians=5)
optimizer = torch.optim.Adam(network.parameters(), lr=5e-3)
for epoch in range(150):
    pi, mu, sigma = network(x)
    loss = mdn_loss(pi, mu, sigma, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if epoch % 25 == 0 or epoch == 149:
        print(f"epoch {epoch} loss {loss.item():.6f}")
with torch.no_grad():
    pi, mu, sigma = network(torch.zeros(1, 1))
    component = Categorical(pi).sample()
    print(
        "component", component.item() in range(5), f"entropy {Categorical(pi).entropy().item():.4f}"
    )
