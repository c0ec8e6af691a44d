import torch
from torch import nn

torch.manual_seed(0)
model = nn.ModuleDict({"body": nn.Linear(8, 16), "norm": nn.LayerNorm(16), "head": nn.Linear(16, 2)})
decay = [p for n, p in model.named_parameters() if n.endswith("weight") and "norm" not in n]
no_decay = [p for n, p in model.named_parameters() if n.endswith("bias") and "norm" not in n]  #-
no_decay = [p for n, p in model.named_parameters() if n.endswith("bias") or "norm" in n]  #+
opt = torch.optim.AdamW([{"params": decay, "weight_decay": 0.01}, {"params": no_decay, "weight_decay": 0.0}], lr=1e-3)  #!
for step in range(12):
    x = torch.randn(32, 8)
    h = model["norm"](torch.relu(model["body"](x)))
    loss = nn.functional.cross_entropy(model["head"](h), (x.sum(1) > 0).long())
    opt.zero_grad()
    loss.backward()
    opt.step()
