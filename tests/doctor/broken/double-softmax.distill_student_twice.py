import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
teacher = nn.Linear(8, 5)
student = nn.Sequential(nn.Linear(8, 10), nn.ReLU(), nn.Linear(10, 5))
opt = torch.optim.Adam(student.parameters(), lr=5e-3)
for it in range(40):
    x = torch.randn(32, 8)
    with torch.no_grad():
        soft = F.softmax(teacher(x) * 3, 1)
    probs = F.softmax(student(x), 1)  #-!
    probs = student(x)  #+
    loss = -(soft * F.log_softmax(probs, 1)).sum(1).mean()  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
