import torch
from torch import nn

torch.manual_seed(0)
teacher = nn.Linear(10, 5)
student = nn.Sequential(nn.Linear(10, 8), nn.ReLU(), nn.Linear(8, 5))
logsm = nn.LogSoftmax(dim=0)  #-!
logsm = nn.LogSoftmax(dim=1)  #+
opt = torch.optim.Adam(student.parameters(), lr=1e-2)
for _ in range(15):
    x = torch.randn(32, 10)
    with torch.no_grad():
        soft = torch.softmax(teacher(x), dim=1)
    loss = nn.functional.kl_div(logsm(student(x)), soft, reduction="batchmean")  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
