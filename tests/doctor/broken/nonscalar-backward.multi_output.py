import torch

torch.manual_seed(0)
lin = torch.nn.Linear(4, 2)
optimizer = torch.optim.SGD(lin.parameters(), lr=0.01)
for step in range(4):
    x = torch.randn(9, 4)
    err = lin(x) - x[:, :2]
    loss = (err**2).mean(dim=0)  #-!
    loss = (err**2).mean()  #+
    optimizer.zero_grad()
    loss.backward()  #!
    optimizer.step()
