import torch
import torch.nn as nn
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
model = torch.compile(model)
opt = torch.optim.SGD(model.parameters(), lr=0.01)
for i in range(40):
    x = torch.randn(16, 8)
    loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    loss.backward()  #!
    opt.step()  #!
    opt.zero_grad()  #+
