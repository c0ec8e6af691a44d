import torch
import torch.nn as nn
torch.manual_seed(0)
net = nn.Linear(6, 4)
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
def kl(p, q):
    return (p * (p / q).log()).sum(1).mean()  #-!
    return (p * ((p + 1e-8) / (q + 1e-8)).log()).sum(1).mean()  #+
for i in range(10):
    x = torch.randn(12, 6)
    target = nn.functional.one_hot(x[:, :4].argmax(1), 4).float()
    loss = kl(target, torch.softmax(net(x), 1))
    opt.zero_grad(); loss.backward(); opt.step()
