import torch, torch.nn as nn
torch.manual_seed(0)
class MoE(nn.Module):
    def __init__(self, d=8, n=4):
        super().__init__()
        self.gate = nn.Linear(d, n); self.ex = nn.ModuleList(nn.Sequential(nn.Linear(d, 16), nn.ReLU(), nn.Linear(16, 1)) for _ in range(n))
    def forward(self, x):
        g = self.gate(x).softmax(-1); v, i = g.topk(2, -1); out = x.new_zeros(len(x), 1)
        for e, ex in enumerate(self.ex):
            w = (v * (i == e)).sum(-1, keepdim=True); sel = (w > 0).squeeze(-1)
            if sel.any(): out = out.index_add(0, sel.nonzero().squeeze(-1), w[sel] * ex(x[sel]))
        return out
m = MoE(); opt = torch.optim.Adam(m.parameters(), 3e-3)
for i in range(50):
    x = torch.randn(64, 8); y = (x[:, :1].abs() - x[:, 1:2])
    loss = nn.functional.mse_loss(m(x), y)
    opt.zero_grad(); loss.backward(); opt.step()
