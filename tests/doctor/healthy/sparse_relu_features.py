import torch
from torch import nn

torch.manual_seed(0)
enc, dec = nn.Linear(12, 48), nn.Linear(48, 12)
nn.init.constant_(enc.bias, -0.3)
opt = torch.optim.Adam([*enc.parameters(), *dec.parameters()], lr=3e-3)
for _ in range(40):
    x = torch.randn(64, 12)
    code = torch.relu(enc(x))
    loss = (dec(code) - x).pow(2).mean() + 1e-3 * code.abs().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
