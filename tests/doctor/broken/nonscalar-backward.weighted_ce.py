import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(5, 3)
opt = torch.optim.Adam(model.parameters())
criterion = nn.CrossEntropyLoss(reduction="none")
weights = torch.rand(12)
for _ in range(5):
    logits = model(torch.randn(12, 5))
    loss = criterion(logits, torch.randint(0, 3, (12,))) * weights  #-!
    loss = (criterion(logits, torch.randint(0, 3, (12,))) * weights).mean()  #+
    opt.zero_grad()
    loss.backward()
    opt.step()
