import torch, torch.nn as nn
import torch.nn.functional as F
torch.manual_seed(0)
teacher = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Dropout(0.2), nn.Linear(64, 5)).eval()
student = nn.Linear(10, 5)
for p in teacher.parameters(): p.requires_grad = False
opt = torch.optim.SGD(student.parameters(), lr=0.5)
T = 4.0
for i in range(40):
    x = torch.randn(64, 10)
    t = teacher(x)
    s = student(x)
    kd = F.kl_div(F.log_softmax(s / T, 1), F.softmax(t / T, 1), reduction="batchmean") * T * T
    loss = 0.9 * kd + 0.1 * F.cross_entropy(s, t.argmax(1))
    opt.zero_grad(); loss.backward(); opt.step()
