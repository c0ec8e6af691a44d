import torch
from torch import nn

torch.manual_seed(0)
gain = nn.Parameter(torch.tensor(0.3))
drift = nn.Parameter(torch.tensor(0.9))
opt = torch.optim.Adam([gain, drift], lr=1e-2)
truth = torch.cumsum(torch.randn(300) * 0.1, 0)
estimate = torch.zeros(())
for t in range(0, 300, 15):
    loss = 0.0
    estimate = estimate.detach()  #+
    for k in range(t, t + 15):
        z = truth[k] + 0.2 * torch.randn(())
        estimate = drift * estimate + gain * (z - drift * estimate)  #!
        loss = loss + (estimate - truth[k]) ** 2
    opt.zero_grad()
    loss.backward(retain_graph=True)  #-
    loss.backward()  #+
    opt.step()
