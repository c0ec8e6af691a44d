import torch
import torch.nn as nn
import torch.nn.functional as F
torch.manual_seed(0)
teacher, student = nn.Linear(8, 5), nn.Linear(8, 5)
opt = torch.optim.Adam(student.parameters(), lr=1e-2)
for i in range(30):
    x = torch.randn(32, 8)
    with torch.no_grad():
        t = F.softmax(teacher(x), dim=1)
    s = F.log_softmax(student(x), dim=0)  #-!
    s = F.log_softmax(student(x), dim=1)  #+
    loss = F.kl_div(s, t, reduction="batchmean")
    opt.zero_grad(); loss.backward(); opt.step()
