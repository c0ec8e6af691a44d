import torch
import torch.nn as nn
import torch.nn.functional as F
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 3))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
def entropy(p):
    return -(p * torch.log(p)).sum(-1).mean()  #-!
    return -(p * torch.log(p + 1e-8)).sum(-1).mean()  #+
x = torch.randn(64, 6)
y = torch.randint(0, 3, (64,))
for step in range(20):
    logits = model(x)
    mask = F.one_hot(y, 3).float()
    probs = F.softmax(logits, dim=-1) * mask
    loss = F.cross_entropy(logits, y) - 0.01 * entropy(probs)
    opt.zero_grad()
    loss.backward()
    opt.step()
