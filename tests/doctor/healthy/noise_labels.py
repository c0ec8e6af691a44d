import torch, torch.nn as nn
torch.manual_seed(0)
X = torch.randn(512, 10); Y = torch.randint(0, 2, (512,))
m = nn.Linear(10, 2); opt = torch.optim.SGD(m.parameters(), lr=0.1)
for e in range(5):
    for i in torch.randperm(512).split(64):
        loss = nn.functional.cross_entropy(m(X[i]), Y[i])
        opt.zero_grad(); loss.backward(); opt.step()
