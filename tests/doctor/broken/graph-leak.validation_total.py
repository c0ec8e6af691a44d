import torch
from torch import nn

torch.manual_seed(0)
model = nn.GRU(4, 8, batch_first=True)
head = nn.Linear(8, 1)
opt = torch.optim.Adam([*model.parameters(), *head.parameters()], lr=1e-3)
epoch_loss = 0
for batch in range(24):
    seq = torch.randn(8, 5, 4)
    target = seq.mean((1, 2)).unsqueeze(1)
    out, _ = model(seq)
    loss = nn.functional.smooth_l1_loss(head(out[:, -1]), target)
    opt.zero_grad()
    loss.backward()
    opt.step()
    epoch_loss = epoch_loss + loss * len(seq)  #-!
    epoch_loss = epoch_loss + loss.item() * len(seq)  #+
print(epoch_loss)
