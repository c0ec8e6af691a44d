import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 3)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
criterion = nn.CrossEntropyLoss(reduction="none")  #-!
criterion = nn.CrossEntropyLoss()  #+
x, y = torch.randn(30, 4), torch.randint(0, 3, (30,))
for _ in range(5):
    loss = criterion(model(x), y)  #!
    opt.zero_grad()
    loss.backward()  #!
    opt.step()
