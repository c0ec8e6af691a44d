import torch, torch.nn.functional as F
from torch import nn
torch.manual_seed(0)
lm = nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True), 1)
emb, head = nn.Embedding(20, 16), nn.Linear(16, 2)
for m in (lm, emb):
    m.requires_grad_(False)
lm.eval()
prompt = nn.Parameter(torch.randn(1, 4, 16) * 0.5)
opt = torch.optim.Adam([prompt, *head.parameters()], lr=2e-2)
for _ in range(50):
    x = torch.randint(0, 20, (24, 5)); y = (x[:, 0] > 9).long()
    h = lm(torch.cat([prompt.expand(24, -1, -1), emb(x)], 1))
    loss = F.cross_entropy(head(h.mean(1)), y)
    opt.zero_grad(); loss.backward(); opt.step()
