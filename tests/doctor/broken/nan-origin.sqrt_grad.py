import torch
import torch.nn as nn
torch.manual_seed(0)
emb = nn.Linear(5, 4)
opt = torch.optim.SGD(emb.parameters(), lr=0.01)
for it in range(20):
    a = torch.randn(16, 5)
    b = a.clone()
    b[8:] = torch.randn(8, 5)
    d = torch.sqrt(((emb(a) - emb(b)) ** 2).sum(1))  #-!
    d = torch.sqrt(((emb(a) - emb(b)) ** 2).sum(1) + 1e-8)  #+
    same = torch.cat([torch.ones(8), torch.zeros(8)])
    loss = (same * d + (1 - same) * torch.relu(1 - d)).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
