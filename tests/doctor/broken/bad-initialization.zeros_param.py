import torch
import torch.nn as nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.w1 = nn.Parameter(torch.zeros(5, 16))  #-!
        self.w2 = nn.Parameter(torch.zeros(16, 1))  #-!
        self.w1 = nn.Parameter(torch.randn(5, 16) * 0.3)  #+
        self.w2 = nn.Parameter(torch.randn(16, 1) * 0.2)  #+
    def forward(self, x):
        return torch.relu(x @ self.w1) @ self.w2
torch.manual_seed(0)
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
X = torch.randn(80, 5); Y = X[:, :1]
for i in range(30):
    loss = (net(X) - Y).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
