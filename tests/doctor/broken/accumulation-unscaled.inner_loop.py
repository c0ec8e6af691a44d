import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(5, 1)
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
loss_fn = nn.MSELoss()
for epoch in range(8):
    data = torch.randn(24, 5)
    opt.zero_grad()
    for chunk in data.split(8):
        loss = loss_fn(model(chunk), chunk.sum(1, keepdim=True))
        loss.backward()  #-!
        (loss / 3).backward()  #+
    opt.step()
