import torch
from torch import nn
from collections import defaultdict

torch.manual_seed(0)
metrics = defaultdict(list)
vae_enc, vae_dec = nn.Linear(12, 4), nn.Linear(2, 12)
opt = torch.optim.Adam([*vae_enc.parameters(), *vae_dec.parameters()], lr=1e-3)
data = torch.rand(256, 12)
for epoch in range(6):
    for batch in data.split(32):
        mu, logvar = vae_enc(batch).chunk(2, 1)
        z = mu + torch.randn_like(mu) * (0.5 * logvar).exp()
        recon = nn.functional.mse_loss(vae_dec(z), batch)
        kl = -0.5 * (1 + logvar - mu ** 2 - logvar.exp()).mean()
        opt.zero_grad()
        (recon + 1e-2 * kl).backward()
        opt.step()
        metrics["recon"].append(recon)  #-!
        metrics["recon"].append(recon.detach())  #+
        metrics["kl"].append(kl.item())
print(sum(m.item() for m in metrics["recon"]) / len(metrics["recon"]))
