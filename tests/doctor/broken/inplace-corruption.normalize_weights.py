import torch
from torch import nn

torch.manual_seed(0)
proto = nn.Parameter(torch.randn(5, 8))
enc = nn.Linear(10, 8)
opt = torch.optim.Adam([proto, *enc.parameters()], lr=1e-2)
x, y = torch.randn(40, 10), torch.randint(0, 5, (40,))
for epoch in range(10):
    logits = enc(x) @ proto.t()
    with torch.no_grad():  #-
        proto.div_(proto.norm(dim=1, keepdim=True))  #-!
    loss = nn.functional.cross_entropy(logits, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():  #+
        proto.div_(proto.norm(dim=1, keepdim=True))  #+
