import torch
import torch.nn as nn
torch.manual_seed(0)
class Backbone(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(10, 32), nn.ReLU())
        self.fc = nn.Linear(32, n)
    def forward(self, x):
        return self.fc(self.body(x))
model = Backbone(1000)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)  #-!
model.fc = nn.Linear(32, 2)  #!
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)  #+
x = torch.randn(128, 10)
y = (x[:, 0] > 0).long()
for i in range(20):
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
