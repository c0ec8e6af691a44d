import torch
from torch import nn
torch.manual_seed(0)
experts = nn.ModuleList(nn.Linear(5, 3) for _ in range(3)); gate = nn.Linear(5, 3); opt = torch.optim.Adam([*experts.parameters(), *gate.parameters()], 1e-2)
for _ in range(50):
    x = torch.randn(40, 5); y = x[:, :3].argmax(1)
    p = (gate(x).softmax(-1).unsqueeze(2) * torch.stack([e(x).softmax(-1) for e in experts], 1)).sum(1)
    loss = nn.functional.nll_loss(p.clamp_min(1e-8).log(), y); opt.zero_grad(); loss.backward(); opt.step()
