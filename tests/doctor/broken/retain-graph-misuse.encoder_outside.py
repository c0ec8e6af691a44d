import torch
from torch import nn

torch.manual_seed(0)
node_features = torch.randn(30, 5)
adj = (torch.rand(30, 30) < 0.2).float() + torch.eye(30)
adj = adj / adj.sum(1, keepdim=True)
labels = torch.randint(0, 3, (30,))
emb = nn.Linear(5, 16)
cls = nn.Linear(16, 3)
opt = torch.optim.Adam([*emb.parameters(), *cls.parameters()], lr=1e-2)
hidden = torch.relu(adj @ emb(node_features))  #-
for epoch in range(20):
    hidden = torch.relu(adj @ emb(node_features))  #+
    logits = adj @ cls(hidden)
    loss = nn.functional.cross_entropy(logits, labels)
    opt.zero_grad()
    loss.backward()  #!
    opt.step()
