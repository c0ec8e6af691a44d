import torch
from torch import nn

torch.manual_seed(0)
experts = nn.ModuleList(nn.Linear(6, 4) for _ in range(6))
gate = nn.Linear(6, 6)
opt = torch.optim.Adam([*experts.parameters(), *gate.parameters()], lr=1e-2)
for _ in range(20):
    x = torch.randn(8, 6)
    top, idx = gate(x).topk(2, dim=1)
    w = top.softmax(1)
    out = torch.zeros(8, 4)
    for e, expert in enumerate(experts):
        hit = idx == e
        rows = hit.any(1).nonzero().squeeze(1)
        if len(rows):
            out = out.index_add(0, rows, expert(x[rows]) * w[hit][:, None])
    loss = nn.functional.mse_loss(out, x[:, :4])
    opt.zero_grad()
    loss.backward()
    opt.step()
