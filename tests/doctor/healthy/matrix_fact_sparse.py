import torch, torch.nn as nn
torch.manual_seed(0)
class MF(nn.Module):
    def __init__(self, n, m, k=8):
        super().__init__()
        self.u = nn.Embedding(n, k, sparse=True); self.v = nn.Embedding(m, k, sparse=True)
    def forward(self, i, j): return (self.u(i) * self.v(j)).sum(1)
R = torch.randn(40, 4) @ torch.randn(4, 30)
m = MF(40, 30); opt = torch.optim.SparseAdam(list(m.parameters()), lr=0.05)
for it in range(80):
    i, j = torch.randint(0, 40, (128,)), torch.randint(0, 30, (128,))
    loss = (m(i, j) - R[i, j]).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
