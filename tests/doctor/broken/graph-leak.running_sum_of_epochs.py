import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(12, 24), nn.ReLU(), nn.Linear(24, 5))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
crit = nn.CrossEntropyLoss()
X, Y = torch.randn(160, 12), torch.randint(0, 5, (160,))
for epoch in range(3):
    running, correct = 0.0, 0
    for i in range(0, 160, 16):
        xb, yb = X[i : i + 16], Y[i : i + 16]
        opt.zero_grad()
        out = model(xb)
        loss = crit(out, yb)
        loss.backward()
        opt.step()
        running += loss  #-!
        running += loss.item()  #+
        correct += (out.argmax(1) == yb).sum().item()
    print(epoch, float(running) / 10, correct / 160)
