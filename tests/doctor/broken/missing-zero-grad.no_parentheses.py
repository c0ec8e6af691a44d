import torch
import torch.nn as nn

torch.manual_seed(0)


class Classifier(nn.Module):
    def __init__(self, d, h, c):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(d, h), nn.ReLU(), nn.Linear(h, c))

    def forward(self, x):
        return self.net(x)


def run_epoch(model, data, criterion, optimizer):
    total = 0.0
    for x, y in data:
        optimizer.zero_grad  #-!
        optimizer.zero_grad()  #+
        loss = criterion(model(x), y)
        loss.backward()  #!
        optimizer.step()  #!
        total += loss.item()
    return total / len(data)


model = Classifier(8, 32, 4)
data = []
for _ in range(8):
    x = torch.randn(16, 8)
    data.append((x, x[:, :4].argmax(1)))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(3):
    print(epoch, run_epoch(model, data, nn.CrossEntropyLoss(), opt))
