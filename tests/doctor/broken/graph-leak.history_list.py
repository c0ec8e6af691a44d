import torch
import torch.nn.functional as F

torch.manual_seed(0)


class Logger:
    def __init__(self):
        self.values = []

    def log(self, value):
        self.values.append(value)


net = torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.ReLU(), torch.nn.Linear(16, 3))
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
losses = []
for it in range(30):
    x = torch.randn(32, 4)
    y = x[:, :3].argmax(1)
    loss = F.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    losses.append(loss)  #-!
    losses.append(loss.detach())  #+
print(sum(float(l) for l in losses) / len(losses))
