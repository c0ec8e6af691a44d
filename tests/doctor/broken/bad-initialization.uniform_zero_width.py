import torch
import torch.nn as nn
torch.manual_seed(0)
def weights_init(m):
    classname = m.__class__.__name__
    if classname.find("Linear") != -1:
        m.weight.data.uniform_(0.0, 0.0)  #-!
        m.weight.data.uniform_(-0.3, 0.3)  #+
        m.bias.data.fill_(0)
net = nn.Sequential(nn.Linear(5, 10), nn.Tanh(), nn.Linear(10, 10), nn.Tanh(), nn.Linear(10, 1))
net.apply(weights_init)
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
X = torch.randn(64, 5); Y = X[:, :1]
for i in range(30):
    loss = nn.functional.mse_loss(net(X), Y)
    opt.zero_grad(); loss.backward(); opt.step()
