"""Teacher and student: softened targets, KLDivLoss, the teacher in eval mode without gradients."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(7)
x = torch.randn(200, 10)
y = (x[:, :3].abs().sum(dim=1) > x[:, 3:6].abs().sum(dim=1)).long()
teacher = nn.Sequential(
    nn.Linear(10, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2)
)
student = nn.Sequential(nn.Linear(10, 12), nn.PReLU(), nn.Linear(12, 2))
loader = DataLoader(TensorDataset(x, y), batch_size=40, shuffle=True, drop_last=True)
optimizer = torch.optim.Adagrad(teacher.parameters(), lr=0.05)
for epoch in range(10):
    for inputs, labels in loader:
        loss = F.cross_entropy(teacher(inputs), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    if epoch % 3 == 0:
        print(f"teacher epoch {epoch} loss {loss.item():.5f}")
teacher.eval()
T, alpha = 4.0, 0.7
kl = nn.KLDivLoss(reduction="batchmean")
optimizer = torch.optim.NAdam(student.parameters(), lr=0.02)
for epoch in range(10):
    for inputs, labels in loader:
        with torch.inference_mode():
            soft = F.softmax(teacher(inputs) / T, dim=1)
        logits = student(inputs)
        distilled = kl(F.log_softmax(logits / T, dim=1), soft.clone()) * T * T
        loss = alpha * distilled + (1 - alpha) * F.cross_entropy(logits, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    if epoch % 3 == 0:
        print(f"student epoch {epoch} loss {loss.item():.5f}")
print(
    "teacher has gradients:",
    any(p.grad is not None and p.requires_grad is False for p in teacher.parameters()),
)
