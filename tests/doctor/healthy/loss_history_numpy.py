import numpy as np, torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(2, 1); opt = torch.optim.Adagrad(net.parameters(), lr=0.1)
hist, preds = np.zeros(50), []
for i in range(50):
    x = torch.randn(32, 2); p = net(x); loss = nn.functional.mse_loss(p, x.sum(1, keepdim=True))
    opt.zero_grad(); loss.backward(); opt.step()
    hist[i] = loss.item(); preds.append(p.detach().cpu().numpy())
