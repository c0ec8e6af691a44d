import torch
from torch import nn
from torch.utils.data import DataLoader

torch.manual_seed(0)
X = torch.randn(160, 3)
Y = X @ torch.tensor([[1.0], [-1.0], [2.0]])
x_loader = DataLoader(X, batch_size=16, shuffle=True)  #-!
y_loader = DataLoader(Y, batch_size=16, shuffle=True)  #-!
both = DataLoader(torch.utils.data.TensorDataset(X, Y), batch_size=16, shuffle=True)  #+
model = nn.Linear(3, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.05)
for epoch in range(6):
    for x, y in zip(x_loader, y_loader):  #-!
    for x, y in both:  #+
        loss = nn.functional.mse_loss(model(x), y)  #!
        opt.zero_grad()
        loss.backward()
        opt.step()
