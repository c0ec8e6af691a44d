import torch, torch.nn as nn
torch.manual_seed(0)
class LoRA(nn.Module):
    def __init__(self, base, r=4):
        super().__init__()
        self.base = base
        for p in base.parameters(): p.requires_grad_(False)
        self.A = nn.Parameter(torch.randn(r, base.in_features) * 0.01)
        self.B = nn.Parameter(torch.zeros(base.out_features, r))
    def forward(self, x):
        return self.base(x) + (x @ self.A.t()) @ self.B.t()
net = nn.Sequential(LoRA(nn.Linear(10, 32)), nn.ReLU(), LoRA(nn.Linear(32, 3)))
opt = torch.optim.AdamW([p for p in net.parameters() if p.requires_grad], lr=1e-2)
for i in range(40):
    x = torch.randn(64, 10)
    loss = nn.functional.cross_entropy(net(x), x[:, :3].argmax(1))
    opt.zero_grad(); loss.backward(); opt.step()
