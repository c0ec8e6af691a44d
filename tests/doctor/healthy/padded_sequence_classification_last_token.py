import torch
from torch import nn
torch.manual_seed(0)
emb, rnn, fc = nn.Embedding(25, 12), nn.GRU(12, 16, batch_first=True), nn.Linear(16, 2)
opt = torch.optim.Adam([*emb.parameters(), *rnn.parameters(), *fc.parameters()], 1e-2)
for _ in range(40):
    n = torch.randint(2, 10, (16,)); x = torch.zeros(16, 10, dtype=torch.long)
    for r, k in enumerate(n.tolist()): x[r, :k] = torch.randint(1, 25, (k,))
    y = (x[:, 0] > 12).long(); h = rnn(emb(x))[0][torch.arange(16), n - 1]
    loss = nn.functional.cross_entropy(fc(h), y); opt.zero_grad(); loss.backward(); opt.step()
