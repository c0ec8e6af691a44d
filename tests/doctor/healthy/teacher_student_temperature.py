import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
teacher = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 5)).eval()
student = nn.Linear(8, 5)
opt = torch.optim.Adam(student.parameters(), 1e-2)
for _ in range(40):
    x = torch.randn(32, 8)
    with torch.no_grad():
        t = F.softmax(teacher(x) / 4, -1)
    loss = F.kl_div(F.log_softmax(student(x) / 4, -1), t, reduction="batchmean") * 16
    opt.zero_grad()
    loss.backward()
    opt.step()
