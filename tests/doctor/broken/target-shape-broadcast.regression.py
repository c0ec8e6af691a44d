import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.randn(40, 3)
y = x @ torch.tensor([1.0, 2.0, 3.0])
model = nn.Linear(3, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(10):
    pred = model(x)
    pred = pred.squeeze(1)  #+
    loss = nn.MSELoss()(pred, y)  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
