import torch
import torch.nn as nn
import torch.nn.functional as F
torch.manual_seed(0)
img = nn.Linear(16, 8)
txt = nn.Linear(12, 8)
logit_scale = nn.Parameter(torch.tensor(2.0))  #!
params = [p for m in (img, txt) for p in m.parameters()]
params.append(logit_scale)  #+
opt = torch.optim.AdamW(params, lr=1e-3)  #!
for s in range(30):
    latent = torch.randn(32, 6)
    a = torch.cat([latent, latent, torch.randn(32, 4)], 1)
    b = torch.cat([latent, latent], 1)
    za = F.normalize(img(a), dim=-1)
    zb = F.normalize(txt(b), dim=-1)
    logits = logit_scale.exp() * za @ zb.t()
    lab = torch.arange(32)
    loss = (F.cross_entropy(logits, lab) + F.cross_entropy(logits.t(), lab)) / 2
    opt.zero_grad()
    loss.backward()
    opt.step()
