import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
student = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 4), nn.Softmax(-1))  #-
student = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 4))  #+
teacher = nn.Linear(6, 4).requires_grad_(False)
opt = torch.optim.Adam(student.parameters(), 1e-3)
for _ in range(15):
    x = torch.randn(16, 6)
    soft = F.softmax(teacher(x), -1)
    loss = F.kl_div(F.log_softmax(student(x), -1), soft, reduction="batchmean")  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
