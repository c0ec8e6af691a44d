import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(20, 32)
        self.fc2 = nn.Linear(32, 5)
        self.softmax = nn.Softmax(dim=1)  #-

    def forward(self, x):
        x = F.relu(self.fc1(x))
        return self.softmax(self.fc2(x))  #-!
        return self.fc2(x)  #+


model = Net()
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(100, 20)
y = x[:, :5].argmax(1)
for epoch in range(10):
    optimizer.zero_grad()
    loss = criterion(model(x), y)  #!
    loss.backward()
    optimizer.step()
