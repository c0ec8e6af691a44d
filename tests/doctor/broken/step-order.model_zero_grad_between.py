import torch
from torch import nn

torch.manual_seed(0)
vae_enc = nn.Linear(12, 8)
vae_mu, vae_lv = nn.Linear(8, 2), nn.Linear(8, 2)
vae_dec = nn.Linear(2, 12)
vae = nn.ModuleList([vae_enc, vae_mu, vae_lv, vae_dec])
opt = torch.optim.Adam(vae.parameters(), lr=1e-3)
for it in range(15):
    x = torch.rand(32, 12)
    h = torch.relu(vae_enc(x))
    mu, lv = vae_mu(h), vae_lv(h)
    z = mu + torch.randn_like(mu) * (0.5 * lv).exp()
    rec = torch.sigmoid(vae_dec(z))
    loss = nn.functional.binary_cross_entropy(rec, x) - 0.001 * (1 + lv - mu**2 - lv.exp()).mean()
    vae.zero_grad()  #+
    loss.backward()
    vae.zero_grad()  #-!
    opt.step()
