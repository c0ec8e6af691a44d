import torch
from torch import nn

torch.manual_seed(0)
G = nn.Sequential(nn.Linear(2, 12), nn.ReLU(), nn.Linear(12, 2))
D = nn.Sequential(nn.Linear(2, 12), nn.ReLU(), nn.Linear(12, 1))
og, od = torch.optim.Adam(G.parameters(), 1e-3), torch.optim.Adam(D.parameters(), 1e-3)
bce = nn.functional.binary_cross_entropy_with_logits
for i in range(15):
    real = torch.randn(16, 2) + 2
    z = torch.randn(16, 2)
    od.zero_grad()
    (bce(D(real), torch.ones(16, 1)) + bce(D(G(z).detach()), torch.zeros(16, 1))).backward()
    od.step()
    og.zero_grad()  #+
    g_loss = bce(D(G(z)), torch.ones(16, 1))
    g_loss.backward()
    og.zero_grad()  #-!
    og.step()
