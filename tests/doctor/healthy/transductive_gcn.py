import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
N = 60
x = torch.randn(N, 8)
y = (x[:, 0] > 0).long()
A = (torch.rand(N, N) < 0.1).float() + torch.eye(N)
A = A / A.sum(1, keepdim=True)
idx = torch.randperm(N)
train_mask = torch.zeros(N, dtype=torch.bool)
train_mask[idx[:40]] = True
test_mask = ~train_mask


class GCN(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(8, 16), nn.Linear(16, 2)

    def forward(self, x):
        h = F.dropout(F.relu(A @ self.a(x)), 0.5, training=self.training)
        return A @ self.b(h)


model = GCN()
opt = torch.optim.Adam(model.parameters(), lr=0.02, weight_decay=5e-4)


@torch.no_grad()
def test():
    model.eval()
    pred = model(x).argmax(1)
    return (pred[test_mask] == y[test_mask]).float().mean().item()


for epoch in range(30):
    model.train()
    loss = F.cross_entropy(model(x)[train_mask], y[train_mask])
    opt.zero_grad()
    loss.backward()
    opt.step()
    test()
