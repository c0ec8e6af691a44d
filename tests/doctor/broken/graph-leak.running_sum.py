import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.Linear(10, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
total_loss = 0
for step in range(30):
    x = torch.randn(16, 10)
    loss = (model(x) - x.sum(1, keepdim=True)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    total_loss += loss  #-!
    total_loss += loss.item()  #+
print(total_loss / 30)
