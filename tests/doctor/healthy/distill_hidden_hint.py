import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
teacher = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 4))
student = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
hint = nn.Linear(16, 64)
X = torch.randn(200, 8)
Y = X[:, :4].argmax(1)
t_opt = torch.optim.Adam(teacher.parameters(), lr=1e-2)
for _ in range(30):
    t_opt.zero_grad()
    F.cross_entropy(teacher(X), Y).backward()
    t_opt.step()
teacher.eval()
s_opt = torch.optim.Adam([*student.parameters(), *hint.parameters()], lr=1e-2)
for _ in range(30):
    with torch.no_grad():
        th = torch.relu(teacher[0](X))
        tl = teacher[2](th)
    sh = torch.relu(student[0](X))
    sl = student[2](sh)
    kd = F.kl_div(F.log_softmax(sl / 4, 1), F.softmax(tl / 4, 1), reduction="batchmean") * 16
    loss = kd + 0.1 * F.mse_loss(hint(sh), th) + F.cross_entropy(sl, Y)
    s_opt.zero_grad()
    loss.backward()
    s_opt.step()
