import torch
import torch.nn.functional as F

torch.manual_seed(0)
table = torch.nn.Embedding(15, 15)
opt = torch.optim.Adam(table.parameters(), lr=0.05)
corpus = torch.randint(0, 15, (200,))
for step in range(15):
    at = torch.randint(0, 180, (6,))
    x = torch.stack([corpus[i : i + 10] for i in at])
    y = torch.stack([corpus[i + 2 : i + 12] for i in at])  #-
    y = torch.stack([corpus[i + 1 : i + 11] for i in at])  #+
    loss = F.cross_entropy(table(x).view(-1, 15), y.view(-1))  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
