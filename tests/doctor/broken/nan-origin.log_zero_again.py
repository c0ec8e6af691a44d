import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 3))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(12):
    x = torch.randn(16, 5)
    onehot = nn.functional.one_hot(torch.randint(0, 3, (16,)), 3).float()
    p = torch.relu(model(x))
    logp = torch.log(p)  #-!
    logp = torch.log(p + 1e-6)  #+
    loss = -(onehot * logp).sum(1).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
