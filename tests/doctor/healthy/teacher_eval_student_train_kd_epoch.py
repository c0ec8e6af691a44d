import torch, torch.nn.functional as F
from torch import nn
torch.manual_seed(0)
T = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Dropout(0.3), nn.Linear(32, 3)); S = nn.Linear(6, 3); x = torch.randn(200, 6); y = x[:, :3].argmax(1)
o = torch.optim.Adam(T.parameters(), 1e-2)
for _ in range(25):
    o.zero_grad(); F.cross_entropy(T(x), y).backward(); o.step()
T.eval(); o = torch.optim.Adam(S.parameters(), 2e-2)
for _ in range(25):
    with torch.no_grad(): t = T(x)
    s = S(x); loss = F.kl_div(F.log_softmax(s / 3, 1), F.softmax(t / 3, 1), reduction="batchmean") * 9 + 0.5 * F.cross_entropy(s, y)
    o.zero_grad(); loss.backward(); o.step()
