import torch
from torch import nn

torch.manual_seed(0)
model = nn.LSTM(3, 12, batch_first=True)
head = nn.Linear(12, 1)
opt = torch.optim.SGD([*model.parameters(), *head.parameters()], lr=0.02)
accumulated = 0
opt.zero_grad()
for k in range(30):
    seq = torch.randn(6, 5, 3)
    target = seq.mean((1, 2)).unsqueeze(1)
    loss = nn.functional.mse_loss(head(model(seq)[0][:, -1]), target)  #!
    (loss * 0.5).backward()  #+
    loss.backward()  #-!
    accumulated += 1
    if accumulated == 2:
        opt.step()  #!
        opt.zero_grad()
        accumulated = 0
