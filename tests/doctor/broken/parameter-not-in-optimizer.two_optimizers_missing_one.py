import torch
import torch.nn as nn
def get_optimizers(gen, enc, disc):
    og = torch.optim.Adam(gen.parameters(), lr=1e-3)  #-!
    og = torch.optim.Adam([*gen.parameters(), *enc.parameters()], lr=1e-3)  #+
    od = torch.optim.Adam(disc.parameters(), lr=1e-3)
    return og, od
torch.manual_seed(0)
enc, gen, disc = nn.Linear(6, 3), nn.Linear(3, 6), nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 1))
og, od = get_optimizers(gen, enc, disc)
for i in range(30):
    x = torch.randn(16, 6)
    r = gen(enc(x))
    ld = nn.functional.softplus(-disc(x)).mean() + nn.functional.softplus(disc(r.detach())).mean()
    od.zero_grad(); ld.backward(); od.step()
    lg = nn.functional.mse_loss(r, x) + 0.1 * nn.functional.softplus(-disc(r)).mean()
    og.zero_grad(); lg.backward(); og.step()
