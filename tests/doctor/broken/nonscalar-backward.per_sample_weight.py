import torch
import torch.nn as nn
import torch.nn.functional as F
def weighted_ce(logits, target, weights):
    ce = F.cross_entropy(logits, target, reduction="none")
    return ce * weights  #-!
    return (ce * weights).mean()  #+
def train_step(model, opt, batch):
    x, y, w = batch
    opt.zero_grad()
    loss = weighted_ce(model(x), y, w)
    loss.backward()  #!
    opt.step()
    return loss
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(5, 5), nn.ReLU(), nn.Linear(5, 3))
opt = torch.optim.Adam(model.parameters())
for _ in range(10):
    batch = (torch.randn(8, 5), torch.randint(0, 3, (8,)), torch.rand(8))
    train_step(model, opt, batch)
