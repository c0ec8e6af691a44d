import torch
from torch import nn
torch.manual_seed(0)
gate = nn.Linear(4, 8); experts = nn.ModuleList(nn.Linear(4, 1) for _ in range(8)); opt = torch.optim.Adam([*gate.parameters(), *experts.parameters()], 1e-2)
for _ in range(60):
    x = torch.randn(16, 4); p = gate(x).softmax(-1); w, i = p.max(-1)
    out = torch.zeros(16, 1)
    for k in i.unique().tolist():
        m = i == k; out = out.index_add(0, m.nonzero().squeeze(1), w[m].unsqueeze(1) * experts[k](x[m]))
    loss = (out - x[:, :1].abs()).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
