import torch
from torch import nn

torch.manual_seed(0)
embed = nn.Embedding(20, 8)
proj = nn.Linear(8, 8)
classify = nn.Linear(8, 4)
opt = torch.optim.SGD(
    [*embed.parameters(), *proj.parameters(), *classify.parameters()], lr=0.1
)
for _ in range(12):
    ids = torch.randint(0, 20, (16, 5))
    vecs = embed(ids).mean(1)
    hidden = torch.relu(proj(vecs).data)  #-!
    hidden = torch.relu(proj(vecs))  #+
    loss = nn.functional.cross_entropy(classify(hidden), ids[:, 0] % 4)
    opt.zero_grad()
    loss.backward()
    opt.step()
