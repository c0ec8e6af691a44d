import torch
import torch.nn as nn
torch.manual_seed(0)
h = nn.Linear(8, 24)
o = nn.Linear(24, 1)
h.bias.data.fill_(-15.0)  #-!
h.bias.data.fill_(0.0)  #+
opt = torch.optim.Adam([*h.parameters(), *o.parameters()], lr=1e-3)
X = torch.randn(128, 8)
Y = X[:, :1] ** 2
Y = Y - Y.mean()
for i in range(50):
    a = torch.sigmoid(h(X))  #-!
    a = torch.sigmoid(h(X))  #+
    loss = nn.functional.mse_loss(o(a), Y)
    opt.zero_grad(); loss.backward(); opt.step()
