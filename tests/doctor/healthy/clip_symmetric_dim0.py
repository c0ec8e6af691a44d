import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
img, txt = nn.Linear(10, 8), nn.Linear(6, 8)
scale = nn.Parameter(torch.tensor(2.0))
opt = torch.optim.Adam([*img.parameters(), *txt.parameters(), scale], lr=1e-2)
mix = torch.randn(4, 10), torch.randn(4, 6)
for _ in range(30):
    z = torch.randn(32, 4)
    a, b = F.normalize(img(z @ mix[0]), dim=1), F.normalize(txt(z @ mix[1]), dim=1)
    logits = scale.exp() * a @ b.T
    p_t2i = F.log_softmax(logits, dim=0)
    p_i2t = F.log_softmax(logits, dim=1)
    loss = -(p_t2i.diagonal() + p_i2t.diagonal()).mean() / 2
    opt.zero_grad()
    loss.backward()
    opt.step()
