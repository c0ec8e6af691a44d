import torch
from torch import nn

torch.manual_seed(0)
A = (torch.rand(20, 20) < 0.3).float() + torch.eye(20)
X = torch.randn(20, 6)
y = torch.randint(0, 2, (20,))


class GCN(nn.Module):
    def __init__(self):
        super().__init__()
        self.w1 = nn.Parameter(torch.full((6, 16), 0.1))  #-!
        self.w1 = nn.Parameter(torch.randn(6, 16) * 0.3)  #+
        self.w2 = nn.Parameter(torch.full((16, 2), 0.1))  #-!
        self.w2 = nn.Parameter(torch.randn(16, 2) * 0.3)  #+

    def forward(self, x):
        a = A / A.sum(1, keepdim=True)
        return a @ torch.relu(a @ x @ self.w1) @ self.w2


net = GCN()
opt = torch.optim.Adam(net.parameters(), 1e-2)
for _ in range(40):
    loss = nn.functional.cross_entropy(net(X), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
