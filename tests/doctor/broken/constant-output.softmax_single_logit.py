import torch
import torch.nn as nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 1),
                    nn.Softmax(dim=1))  #-!
                    nn.Sigmoid())  #+
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
X = torch.randn(80, 6); y = (X[:, :1] > 0).float()
for e in range(40):
    p = net(X)  #-!
    p = net(X)  #+
    loss = nn.functional.binary_cross_entropy(p, y)  #-!
    loss = nn.functional.binary_cross_entropy(p, y)  #+
    opt.zero_grad(); loss.backward(); opt.step()
