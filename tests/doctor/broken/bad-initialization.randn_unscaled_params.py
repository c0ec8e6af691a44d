import torch
import torch.nn as nn
class Net(nn.Module):
    def __init__(self, i=100, h=200, o=10):
        super().__init__()
        self.W1 = nn.Parameter(torch.randn(i, h) * 5)  #-!
        self.b1 = nn.Parameter(torch.zeros(h))
        self.W2 = nn.Parameter(torch.randn(h, o) * 5)  #-!
        self.W1 = nn.Parameter(torch.randn(i, h) * (2 / i) ** 0.5)  #+
        self.W2 = nn.Parameter(torch.randn(h, o) * (2 / h) ** 0.5)  #+
        self.b2 = nn.Parameter(torch.zeros(o))
    def forward(self, x):
        return torch.relu(x @ self.W1 + self.b1) @ self.W2 + self.b2
torch.manual_seed(0)
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.01)
X = torch.randn(256, 100); Y = X[:, :10].argmax(1)
for i in range(40):
    loss = nn.functional.cross_entropy(net(X), Y)
    opt.zero_grad(); loss.backward(); opt.step()
