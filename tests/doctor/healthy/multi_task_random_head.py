import random
import torch
from torch import nn

torch.manual_seed(0)
random.seed(0)
trunk = nn.Linear(6, 24)
heads = nn.ModuleDict({"a": nn.Linear(24, 1), "b": nn.Linear(24, 3), "rare": nn.Linear(24, 2)})
opt = torch.optim.Adam([*trunk.parameters(), *heads.parameters()], lr=5e-3)
for step in range(60):
    task = random.choices(["a", "b", "rare"], [10, 10, 2])[0]
    x = torch.randn(24, 6)
    h = torch.relu(trunk(x))
    if task == "a":
        loss = nn.functional.mse_loss(heads["a"](h), x[:, :1])
    elif task == "b":
        loss = nn.functional.cross_entropy(heads["b"](h), x[:, :3].argmax(1))
    else:
        loss = nn.functional.cross_entropy(heads["rare"](h), (x[:, 3] > 0).long())
    opt.zero_grad()
    loss.backward()
    opt.step()
