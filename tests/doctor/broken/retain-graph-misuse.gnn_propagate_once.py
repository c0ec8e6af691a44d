import torch
import torch.nn as nn

torch.manual_seed(0)
adj = (torch.rand(20, 20) > 0.7).float()
adj = adj / adj.sum(1, keepdim=True).clamp(min=1)
feat = torch.randn(20, 6)
conv1, conv2 = nn.Linear(6, 12), nn.Linear(12, 3)
labels = feat[:, :3].argmax(1)
opt = torch.optim.Adam(list(conv1.parameters()) + list(conv2.parameters()), lr=1e-2)
hidden = torch.relu(conv1(adj @ feat))  #-!
for epoch in range(12):
    hidden = torch.relu(conv1(adj @ feat))  #+
    logits = conv2(adj @ hidden)
    loss = nn.functional.cross_entropy(logits, labels)
    opt.zero_grad()
    loss.backward()  #!
    opt.step()
