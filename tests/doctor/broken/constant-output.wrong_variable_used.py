import torch
from torch import nn


class Siamese(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Linear(8, 6)
        self.head = nn.Linear(6, 1)

    def forward(self, a, b):
        za = self.enc(a)
        zb = self.enc(a)  #-!
        zb = self.enc(b)  #+
        return self.head((za - zb).abs())  #!


torch.manual_seed(0)
net = Siamese()
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(50):
    a = torch.randn(32, 8)
    same = torch.randint(0, 2, (32, 1)).float()
    b = torch.where(same.bool(), a + 0.1 * torch.randn(32, 8), torch.randn(32, 8))
    loss = nn.functional.binary_cross_entropy_with_logits(net(a, b), same)  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
