import torch
import torch.nn as nn
torch.manual_seed(0)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Linear(10, 16)
        self.dec = nn.Linear(16, 1)
    def forward(self, x, mask):
        h = torch.relu(self.enc(x))
        h = h * mask  #-!
        return self.dec(h)
net = Net()
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
X = torch.randn(64, 10); Y = X[:, :1]
for i in range(40):
    mask = torch.zeros(64, 16)
    loss = nn.functional.mse_loss(net(X, mask), Y)  #-!
    loss = nn.functional.mse_loss(net(X, mask), Y)  #+
    opt.zero_grad(); loss.backward(); opt.step()
