import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
X = torch.randn(320, 5)
loader = DataLoader(TensorDataset(X, X[:, :1].sin()), batch_size=10, shuffle=True)
net = nn.Sequential(nn.Linear(5, 32), nn.Tanh(), nn.Linear(32, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
loss_fn = nn.MSELoss()
GRAD_ACCUM = 8
for epoch in range(3):
    for i, (x, y) in enumerate(loader):
        loss = loss_fn(net(x), y)  #!
        loss = loss / GRAD_ACCUM  #+
        loss.backward()  #!
        if (i + 1) % GRAD_ACCUM == 0 or i + 1 == len(loader):
            optimizer.step()
            optimizer.zero_grad()
