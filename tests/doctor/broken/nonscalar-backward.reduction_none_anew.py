import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(5, 3)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
criterion = nn.CrossEntropyLoss(reduction="none")  #-!
criterion = nn.CrossEntropyLoss()  #+
for i in range(8):
    x, y = torch.randn(16, 5), torch.randint(0, 3, (16,))
    loss = criterion(model(x), y)  #!
    opt.zero_grad()
    loss.backward()  #!
    opt.step()
