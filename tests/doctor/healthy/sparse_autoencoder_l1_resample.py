import torch
from torch import nn
torch.manual_seed(0)
D = nn.functional.normalize(torch.randn(40, 16), dim=1)
enc, dec = nn.Linear(16, 64), nn.Linear(64, 16)
opt = torch.optim.Adam([*enc.parameters(), *dec.parameters()], lr=3e-3)
for it in range(120):
    x = (torch.rand(64, 40) * (torch.rand(64, 40) < 0.1)) @ D
    z = torch.relu(enc(x - dec.bias))
    loss = (dec(z) - x).pow(2).sum(1).mean() + 3e-2 * z.abs().sum(1).mean()
    opt.zero_grad(); loss.backward(); opt.step()
    with torch.no_grad():
        dec.weight.div_(dec.weight.norm(dim=0, keepdim=True).clamp(min=1))
