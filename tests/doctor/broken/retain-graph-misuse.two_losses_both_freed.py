import torch
from torch import nn

torch.manual_seed(0)
trunk = nn.Linear(6, 12)
head_a, head_b = nn.Linear(12, 1), nn.Linear(12, 3)
params = [*trunk.parameters(), *head_a.parameters(), *head_b.parameters()]
opt = torch.optim.Adam(params, lr=1e-3)
for _ in range(10):
    x = torch.randn(20, 6)
    h = torch.relu(trunk(x))
    loss_a = nn.functional.mse_loss(head_a(h), x.mean(1, keepdim=True))
    loss_b = nn.functional.cross_entropy(head_b(h), x[:, :3].argmax(1))
    opt.zero_grad()
    loss_a.backward()  #-!
    loss_a.backward(retain_graph=True)  #+
    loss_b.backward()  #!
    opt.step()
