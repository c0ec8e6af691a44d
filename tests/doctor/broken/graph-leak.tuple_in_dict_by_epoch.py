import torch
import torch.nn as nn
results = {}
def run(lr):
    torch.manual_seed(0)
    m = nn.Linear(10, 1)
    o = torch.optim.SGD(m.parameters(), lr=lr)
    for epoch in range(25):
        x = torch.randn(32, 10)
        loss = (m(x) - x.mean(1, keepdim=True)).square().mean()
        o.zero_grad()
        loss.backward()
        o.step()
        results[(lr, epoch)] = loss  #-!
        results[(lr, epoch)] = loss.item()  #+
run(0.05)
run(0.1)
