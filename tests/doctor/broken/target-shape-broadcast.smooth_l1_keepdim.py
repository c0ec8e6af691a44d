import torch
import torch.nn as nn
import torch.nn.functional as F
torch.manual_seed(0)
m = nn.LSTM(2, 8, batch_first=True)
fc = nn.Linear(8, 1)
opt = torch.optim.Adam([*m.parameters(), *fc.parameters()], lr=1e-2)
for i in range(25):
    x = torch.randn(20, 6, 2)
    y = x.sum((1, 2), keepdim=False)
    o, _ = m(x)
    p = fc(o[:, -1])
    loss = F.smooth_l1_loss(p, y)  #-!
    loss = F.smooth_l1_loss(p, y[:, None])  #+
    opt.zero_grad(); loss.backward(); opt.step()
