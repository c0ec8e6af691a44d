import torch, torch.nn as nn
torch.manual_seed(0)
A = (torch.rand(30, 30) < 0.15).float(); A = (A + A.t() + torch.eye(30)).clamp(max=1); A = A / A.sum(1, keepdim=True)
X = torch.randn(30, 6); Y = ((A @ X)[:, 0] > 0).long()
class GCN(nn.Module):
    def __init__(self):
        super().__init__()
        self.w1, self.w2 = nn.Linear(6, 16), nn.Linear(16, 2)
    def forward(self, x): return self.w2(A @ torch.relu(self.w1(A @ x)))
net = GCN()
opt = torch.optim.Adam(net.parameters(), lr=0.01, weight_decay=5e-4)
for epoch in range(40):
    net.train()
    loss = nn.functional.cross_entropy(net(X), Y)
    opt.zero_grad()  #+
    loss.backward()  #!
    opt.step()  #!
