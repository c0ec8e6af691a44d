import torch
import torch.nn.functional as F

torch.manual_seed(0)
encoder = torch.nn.Linear(6, 10)
head = torch.nn.Linear(10, 1)
opt = torch.optim.Adam([*encoder.parameters(), *head.parameters()], lr=1e-3)
for _ in range(30):
    x = torch.randn(32, 6)
    features = torch.tanh(encoder(x * 0))  #-!
    features = torch.tanh(encoder(x))  #+
    loss = F.smooth_l1_loss(head(features), x[:, :1])  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
