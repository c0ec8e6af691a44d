import torch
import torch.nn as nn
class Deep(nn.Module):
    def __init__(self, n=10):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(16, 16) for _ in range(n)])
        self.out = nn.Linear(16, 1)
    def forward(self, x):
        for l in self.layers:
            x = torch.tanh(0.1 * l(x))  #-!
            x = torch.tanh(2 * l(x))  #+
        return self.out(x)
torch.manual_seed(0)
net = Deep()
opt = torch.optim.Adam(net.parameters(), lr=1e-5)  #-
opt = torch.optim.Adam(net.parameters(), lr=1e-3)  #+
X = torch.randn(128, 16)
Y = X[:, :1]
for i in range(50):
    loss = nn.functional.mse_loss(net(X), Y)
    opt.zero_grad(); loss.backward(); opt.step()
