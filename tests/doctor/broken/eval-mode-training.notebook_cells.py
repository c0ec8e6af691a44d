#= cell
import torch
import torch.nn as nn
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 20), nn.Tanh(), nn.Dropout(p=0.4), nn.Linear(20, 1))
#= cell
x = torch.randn(200, 3)
y = torch.sin(x[:, :1]) + x[:, 1:2]
#= cell
model.eval()  #!
print(model(x[:3]))
#= cell
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
model.train()  #+
for i in range(50):
    optimizer.zero_grad()
    loss = ((model(x) - y) ** 2).mean()
    loss.backward()
    optimizer.step()
