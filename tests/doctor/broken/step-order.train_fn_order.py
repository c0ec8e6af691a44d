import torch
import torch.nn as nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.l1, self.l2 = nn.Linear(6, 12), nn.Linear(12, 1)
    def forward(self, x): return self.l2(torch.relu(self.l1(x)))
def fit(net, data, epochs):
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    for _ in range(epochs):
        for x, y in data:
            opt.zero_grad()
            loss = nn.functional.mse_loss(net(x), y)
            opt.step()  #-!
            loss.backward()
            opt.step()  #+
torch.manual_seed(0)
fit(Net(), [(x, x[:, :1]) for x in torch.randn(10, 16, 6)], 3)
