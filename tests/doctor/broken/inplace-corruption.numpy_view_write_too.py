import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.Softplus(), nn.Linear(8, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for _ in range(20):
    x = torch.randn(16, 4)
    probs = torch.softmax(net(x), dim=1)
    report = probs.detach().numpy()  #-
    report = probs.detach().numpy().copy()  #+
    report[report < 0.5] = 0  #!
    loss = -torch.log(probs[:, 0] + 1e-3).mul((x[:, 0] > 0).float()).mean() - torch.log(probs[:, 1] + 1e-3).mul((x[:, 0] <= 0).float()).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
