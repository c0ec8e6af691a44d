import torch
from torch import nn
torch.manual_seed(0)
bag, fc = nn.EmbeddingBag(100, 16, sparse=True), nn.Linear(16, 2)
os_, od = torch.optim.SparseAdam(list(bag.parameters()), lr=1e-2), torch.optim.Adam(fc.parameters(), lr=1e-2)
for _ in range(50):
    n = torch.randint(3, 9, (20,)); off = torch.cat([torch.zeros(1, dtype=torch.long), n.cumsum(0)[:-1]])
    tok = torch.randint(0, 100, (int(n.sum()),)); y = torch.stack([(c < 50).float().mean() > 0.5 for c in tok.split(n.tolist())]).long()
    loss = nn.functional.cross_entropy(fc(bag(tok, off)), y)
    os_.zero_grad(); od.zero_grad(); loss.backward(); os_.step(); od.step()
