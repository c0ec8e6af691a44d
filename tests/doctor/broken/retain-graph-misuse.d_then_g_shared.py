import torch
import torch.nn as nn
torch.manual_seed(0)
G = nn.Linear(3, 2)
D = nn.Linear(2, 1)
og = torch.optim.SGD(G.parameters(), 0.01)
od = torch.optim.SGD(D.parameters(), 0.01)
crit = nn.BCEWithLogitsLoss()
for i in range(10):
    z = torch.randn(8, 3)
    fake = G(z)
    od.zero_grad()
    d_loss = crit(D(fake), torch.zeros(8, 1)) + crit(D(torch.randn(8, 2)), torch.ones(8, 1))  #-
    d_loss = crit(D(fake.detach()), torch.zeros(8, 1)) + crit(D(torch.randn(8, 2)), torch.ones(8, 1))  #+
    d_loss.backward()  #-!
    d_loss.backward()  #+
    od.step()
    og.zero_grad()
    g_loss = crit(D(fake), torch.ones(8, 1))
    g_loss.backward()  #!
    og.step()
