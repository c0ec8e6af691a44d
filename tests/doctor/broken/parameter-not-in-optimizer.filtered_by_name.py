import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(
    nn.Linear(5, 16), nn.LayerNorm(16), nn.GELU(), nn.Linear(16, 16), nn.GELU(), nn.Linear(16, 1)
)
decay = [p for n, p in model.named_parameters() if p.ndim >= 2]
no_decay = [p for n, p in model.named_parameters() if p.ndim < 2]
groups = [{"params": decay, "weight_decay": 0.01}]
groups.append({"params": no_decay, "weight_decay": 0.0})  #+
optimizer = torch.optim.AdamW(groups, lr=3e-3)  #!
for step in range(20):
    x = torch.randn(32, 5)
    loss = nn.functional.mse_loss(model(x), x.pow(2).sum(1, keepdim=True))
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
