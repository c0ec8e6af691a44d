import torch, torch.nn as nn
torch.manual_seed(0)
V, T = 30, 12
class LM(nn.Module):
    def __init__(self, d=32):
        super().__init__()
        self.e, self.p = nn.Embedding(V, d), nn.Parameter(torch.zeros(T, d))
        self.b = nn.TransformerEncoderLayer(d, 4, 64, batch_first=True, dropout=0.1); self.o = nn.Linear(d, V, bias=False)
        self.o.weight = self.e.weight
    def forward(self, x):
        m = nn.Transformer.generate_square_subsequent_mask(x.size(1))
        return self.o(self.b(self.e(x) + self.p[: x.size(1)], src_mask=m))
m = LM(); opt = torch.optim.AdamW(m.parameters(), 3e-3)
for i in range(40):
    s = torch.randint(0, V, (16, 1)); x = (s + torch.arange(T + 1)) % V
    lo = m(x[:, :-1]); loss = nn.functional.cross_entropy(lo.reshape(-1, V), x[:, 1:].reshape(-1))
    opt.zero_grad(); loss.backward(); nn.utils.clip_grad_norm_(m.parameters(), 1.0); opt.step()
