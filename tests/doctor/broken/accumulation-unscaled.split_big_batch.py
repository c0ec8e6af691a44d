import torch
import torch.nn as nn
torch.manual_seed(0)
net = nn.Sequential(nn.Conv1d(3, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 8, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
X = torch.randn(192, 3, 10); Y = (X.mean((1, 2)) > 0).long()
for epoch in range(4):
    for big_x, big_y in zip(X.chunk(3), Y.chunk(3)):
        opt.zero_grad()
        micro = list(zip(big_x.chunk(4), big_y.chunk(4)))
        for x, y in micro:
            loss = nn.CrossEntropyLoss()(net(x), y)
            loss.backward()  #-!
            (loss / len(micro)).backward()  #+
        opt.step()
