import torch
import torch.nn as nn
import torch.nn.functional as F
torch.manual_seed(0)
class Pointer(nn.Module):
    def __init__(self):
        super().__init__()
        self.s = nn.Linear(5, 1)
    def forward(self, items):        # (batch, items, 5)
        scores = self.s(items).squeeze(-1)
        return F.log_softmax(scores, dim=0)  #-!
        return F.log_softmax(scores, dim=1)  #+
m = Pointer()
opt = torch.optim.Adam(m.parameters(), lr=1e-2)
for i in range(30):
    x = torch.randn(16, 7, 5)
    y = x[:, :, 0].argmax(1)
    loss = F.nll_loss(m(x), y)
    opt.zero_grad(); loss.backward(); opt.step()
