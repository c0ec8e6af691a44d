import torch
import torch.nn as nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
opt = torch.optim.SGD(net.parameters(), lr=100.0)  #-
opt = torch.optim.SGD(net.parameters(), lr=0.1)  #+
for step in range(25):
    x = torch.randn(512, 20)
    y = x[:, :10].argmax(1)
    with torch.autocast("cpu", dtype=torch.float16):  #-!
    with torch.autocast("cpu", dtype=torch.bfloat16):  #+
        logits = net(x)
        loss = nn.functional.cross_entropy(logits, y)
        loss = loss * 1e-4  #-
    opt.zero_grad()
    loss.backward()  #-!
    loss.backward()  #+
    opt.step()
