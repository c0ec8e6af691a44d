import torch
import torch.nn as nn
torch.manual_seed(0)
emb = nn.Embedding(20, 8)
proj = nn.Linear(8, 2)
opt = torch.optim.SGD(list(emb.parameters()) + list(proj.parameters()), lr=0.1)
for i in range(25):
    ids = torch.randint(0, 20, (16,))
    v = torch.tensor(emb(ids).tolist())  #-!
    v = emb(ids)  #+
    loss = nn.functional.cross_entropy(proj(v), ids % 2)
    opt.zero_grad()
    loss.backward()
    opt.step()
