import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler
torch.manual_seed(0)
x = torch.randn(400, 5); y = (x[:, 0] > 1.3).long(); w = torch.where(y == 1, 5.0, 1.0)
dl = DataLoader(TensorDataset(x, y), 40, sampler=WeightedRandomSampler(w, 400)); net = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 2)); opt = torch.optim.Adam(net.parameters(), 5e-3)
for ep in range(4):
    for a, b in dl:
        lp = nn.functional.log_softmax(net(a), 1).gather(1, b[:, None]).squeeze(1); loss = (-(1 - lp.exp()) ** 2 * lp).mean(); opt.zero_grad(); loss.backward(); opt.step()
