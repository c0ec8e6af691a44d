import copy

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
student = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Dropout(0.2), nn.Linear(24, 3))
teacher = copy.deepcopy(student)
for p in teacher.parameters():
    p.detach_()
opt = torch.optim.Adam(student.parameters(), lr=1e-2)
for step in range(25):
    xl, xu = torch.randn(8, 6), torch.randn(32, 6)
    with torch.no_grad():
        soft = teacher(xu).softmax(1)
    loss = F.cross_entropy(student(xl), xl[:, :3].argmax(1))
    loss = loss + 0.5 * F.mse_loss(student(xu).softmax(1), soft)
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        for t, s in zip(teacher.parameters(), student.parameters()):
            t.lerp_(s, 0.05)
