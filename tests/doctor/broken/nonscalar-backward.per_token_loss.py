import torch
from torch import nn

torch.manual_seed(0)
V = 10
model = nn.Sequential(nn.Embedding(V, 8), nn.Linear(8, V))
opt = torch.optim.Adam(model.parameters(), 1e-2)
for _ in range(10):
    s = (torch.randint(0, V, (6, 1)) + torch.arange(9)) % V
    logits = model(s[:, :-1])
    nll = nn.functional.cross_entropy(logits.transpose(1, 2), s[:, 1:], reduction="none")  #!
    loss = nll.mean(1)  #-!
    loss = nll.mean()  #+
    opt.zero_grad()
    loss.backward()  #!
    opt.step()
