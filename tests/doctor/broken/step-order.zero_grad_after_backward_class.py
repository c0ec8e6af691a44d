import torch
import torch.nn as nn
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 1)
        self.optimizer = torch.optim.Adam(self.parameters(), lr=1e-2)
        self.loss = nn.MSELoss()
    def learn(self, x, y):
        pred = self.lin(x)
        cost = self.loss(pred, y)
        cost.backward()
        self.optimizer.zero_grad()  #-!
        self.optimizer.step()
        self.optimizer.zero_grad()  #+
torch.manual_seed(0)
m = Model()
for _ in range(50):
    x = torch.randn(8, 3)
    m.learn(x, x.sum(1, keepdim=True))
