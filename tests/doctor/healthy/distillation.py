import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
teacher = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 4)).eval()
student = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 4))
opt = torch.optim.Adam(student.parameters(), lr=1e-2)
T = 2.0
for _ in range(25):
    x = torch.randn(32, 6)
    with torch.no_grad():
        soft = F.softmax(teacher(x) / T, dim=1)
    logits = student(x)
    kd = F.kl_div(F.log_softmax(logits / T, dim=1), soft, reduction="batchmean") * T * T
    ce = F.cross_entropy(logits, soft.argmax(1))
    loss = 0.7 * kd + 0.3 * ce
    opt.zero_grad()
    loss.backward()
    opt.step()
