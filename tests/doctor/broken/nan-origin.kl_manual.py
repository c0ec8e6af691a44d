import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
student = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
opt = torch.optim.Adam(student.parameters(), 1e-2)
for step in range(20):
    x = torch.randn(32, 8)
    onehot = F.one_hot(x[:, :4].argmax(1), 4).float()
    q = F.softmax(student(x), -1)
    kl = (onehot * (torch.log(onehot) - torch.log(q))).sum(-1)  #-!
    kl = (onehot * (torch.log(onehot + 1e-8) - torch.log(q))).sum(-1)  #+
    opt.zero_grad()
    kl.mean().backward()
    opt.step()
