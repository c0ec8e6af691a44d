import torch
import torch.nn.functional as F
from collections import defaultdict

torch.manual_seed(0)
emb = torch.nn.Embedding(30, 8)
gru = torch.nn.GRU(8, 16, batch_first=True)
head = torch.nn.Linear(16, 30)
params = [*emb.parameters(), *gru.parameters(), *head.parameters()]
opt = torch.optim.Adam(params, 3e-3)
logs = defaultdict(list)
tokens = (torch.arange(12).unsqueeze(0) * 3 + torch.randint(0, 30, (64, 1))) % 30
for step in range(30):
    batch = tokens[torch.randint(0, 64, (8,))]
    out, h = gru(emb(batch[:, :-1]))
    logits = head(out)
    loss = F.cross_entropy(logits.reshape(-1, 30), batch[:, 1:].reshape(-1))
    opt.zero_grad()
    loss.backward()
    opt.step()
    logs["loss"].append(loss.item())
    logs["hidden_norm"].append(h.norm())  #-!
    logs["hidden_norm"].append(h.norm().item())  #+
