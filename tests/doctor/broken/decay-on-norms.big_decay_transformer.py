import torch
from torch import nn

torch.manual_seed(0)
layer, out = nn.TransformerEncoderLayer(16, 2, 32, 0.0, batch_first=True), nn.Linear(16, 2)
params = [*layer.parameters(), *out.parameters()]
opt = torch.optim.AdamW(params, lr=1e-2, weight_decay=1.5)  #-!
opt = torch.optim.AdamW([{"params": [p for p in params if p.ndim > 1], "weight_decay": 0.01}, {"params": [p for p in params if p.ndim < 2], "weight_decay": 0}], lr=2e-3)  #+
for _ in range(60):
    x = torch.randn(16, 5, 16)
    loss = nn.functional.cross_entropy(out(layer(x).mean(1)), (x.mean(1)[:, 0] > 0).long())
    opt.zero_grad()
    loss.backward()
    opt.step()
