import torch
from torch import nn

torch.manual_seed(0)


class MTL(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Linear(6, 16)
        self.heads = nn.ModuleDict({"reg": nn.Linear(16, 1), "cls": nn.Linear(16, 3)})
        self.log_var = nn.Parameter(torch.zeros(2))

    def forward(self, x):
        h = torch.relu(self.trunk(x))
        return {k: head(h) for k, head in self.heads.items()}


m = MTL()
opt = torch.optim.Adam(m.parameters(), lr=1e-2)
for _ in range(20):
    x = torch.randn(32, 6)
    out = m(x)
    l1 = nn.functional.mse_loss(out["reg"].squeeze(1), x[:, 0])
    l2 = nn.functional.cross_entropy(out["cls"], x[:, :3].argmax(1))
    losses = torch.stack([l1, l2])
    loss = (losses * (-m.log_var).exp() + m.log_var).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
