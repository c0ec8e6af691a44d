import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(7, 30), nn.ReLU(), nn.Linear(30, 1))
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
train = [(torch.randn(20, 7), torch.randn(20, 1)) for _ in range(8)]
losses = torch.zeros(())
for epoch in range(5):
    for x, y in train:
        opt.zero_grad()
        loss = nn.functional.l1_loss(model(x), y)
        loss.backward()
        opt.step()
        losses = losses + loss  #-!
        losses = losses + loss.detach()  #+
print(losses.item())
