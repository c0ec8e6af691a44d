import torch
import torch.nn as nn
import torch.nn.functional as F
class MaskedBCE(nn.Module):
    def forward(self, logits, target, mask):
        loss = F.binary_cross_entropy_with_logits(logits, target, reduction="none")
        return loss * mask  #-!
        return (loss * mask).sum() / mask.sum()  #+
torch.manual_seed(0)
net = nn.Linear(6, 4)
crit = MaskedBCE()
opt = torch.optim.Adam(net.parameters())
for i in range(5):
    x = torch.randn(8, 6)
    t = (torch.rand(8, 4) > 0.5).float()
    m = (torch.rand(8, 4) > 0.2).float()
    loss = crit(net(x), t, m)
    opt.zero_grad()
    loss.backward()  #-!
    loss.backward()  #+
    opt.step()
