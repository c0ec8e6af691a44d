import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class Student(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Linear(6, 4)

    def forward(self, x):
        return self.f(x).softmax(dim=-1)  #-!
        return self.f(x)  #+


teacher = nn.Linear(6, 4).requires_grad_(False)
student = Student()
opt = torch.optim.SGD(student.parameters(), lr=0.5)
for _ in range(40):
    x = torch.randn(32, 6)
    logp = F.log_softmax(student(x) / 2.0, dim=-1)  #!
    loss = F.kl_div(logp, F.softmax(teacher(x) / 2.0, dim=-1), reduction="batchmean")
    opt.zero_grad()
    loss.backward()
    opt.step()
