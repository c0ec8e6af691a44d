import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(32, 3), torch.randn(32, 1)
for i in range(10):
    optimizer.zero_grad()
    with torch.no_grad():  #-!
        out = model(x)  #-
    out = model(x)  #+
    loss = ((out - y) ** 2).mean()
    loss.backward()
    optimizer.step()
