import torch
from torch import nn

torch.manual_seed(0)
gate = nn.Linear(6, 4)
experts = nn.ModuleList([nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 1)) for _ in range(4)])
opt = torch.optim.Adam([*gate.parameters(), *experts.parameters()], lr=5e-3)
for _ in range(30):
    x = torch.randn(48, 6)
    y = x.abs().sum(1, keepdim=True)
    probs = gate(x).softmax(-1)
    top, idx = probs.max(-1)
    out = torch.zeros(48, 1)
    for e, expert in enumerate(experts):
        sel = idx == e
        if sel.any():
            out[sel] = top[sel, None] * expert(x[sel])
    importance = probs.sum(0)
    loss = nn.functional.mse_loss(out, y) + 0.01 * importance.var() / importance.mean() ** 2
    opt.zero_grad()
    loss.backward()
    opt.step()
