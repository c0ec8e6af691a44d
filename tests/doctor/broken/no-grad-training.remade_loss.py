import torch
import torch.nn.functional as F

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(5, 8), torch.nn.ReLU(), torch.nn.Linear(8, 3))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
data = torch.randn(40, 5)
label = torch.randint(0, 3, (40,))


def step():
    opt.zero_grad()
    out = net(data)
    loss = F.cross_entropy(out, label)
    loss = torch.tensor(loss.item(), requires_grad=True)  #-!
    loss.backward()
    opt.step()
    return loss


for _ in range(12):
    step()
