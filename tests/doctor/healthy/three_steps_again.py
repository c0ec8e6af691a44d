import torch, torch.nn as nn
torch.manual_seed(0)
m = nn.Linear(3, 2); opt = torch.optim.SGD(m.parameters(), 0.1)
for i in range(3):
    loss = nn.functional.cross_entropy(m(torch.randn(8, 3)), torch.randint(0, 2, (8,)))
    opt.zero_grad(); loss.backward(); opt.step()
