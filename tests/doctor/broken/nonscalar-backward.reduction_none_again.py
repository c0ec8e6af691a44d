import torch
import torch.nn as nn
torch.manual_seed(0)
model = nn.Linear(3, 1)
criterion = nn.MSELoss(reduction="none")
opt = torch.optim.SGD(model.parameters(), lr=0.01)
x, y = torch.randn(10, 3), torch.randn(10, 1)
for e in range(5):
    loss = criterion(model(x), y)  #-!
    loss = criterion(model(x), y).mean()  #+
    opt.zero_grad()
    loss.backward()  #-!
    loss.backward()  #+
    opt.step()
