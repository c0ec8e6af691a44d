import torch
from torch import nn

torch.manual_seed(0)
proto = nn.Parameter(nn.functional.normalize(torch.randn(4, 8), dim=1))
enc = nn.Linear(8, 8)
opt = torch.optim.SGD([proto, *enc.parameters()], lr=0.1)
for _ in range(30):
    x = torch.randn(32, 8)
    y = x[:, :4].argmax(1)
    loss = nn.functional.cross_entropy(5 * nn.functional.normalize(enc(x), dim=1) @ proto.T, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        proto.div_(proto.norm(dim=1, keepdim=True))
