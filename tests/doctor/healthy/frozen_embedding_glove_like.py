import torch
from torch import nn
torch.manual_seed(0)
emb = nn.Embedding.from_pretrained(torch.randn(50, 16), freeze=True); net = nn.Sequential(nn.Linear(16, 24), nn.ReLU(), nn.Linear(24, 2)); opt = torch.optim.Adam(list(emb.parameters()) + list(net.parameters()), 1e-2)
w = torch.randn(16)
for _ in range(40):
    t = torch.randint(0, 50, (32, 5)); h = emb(t).mean(1); loss = nn.functional.cross_entropy(net(h), (h @ w > 0).long()); opt.zero_grad(); loss.backward(); opt.step()
