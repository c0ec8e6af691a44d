import torch, torch.nn as nn
torch.manual_seed(0)
class AC(nn.Module):
    def __init__(self):
        super().__init__()
        self.b = nn.Linear(4, 32); self.p = nn.Linear(32, 2); self.v = nn.Linear(32, 1)
    def forward(self, x):
        h = torch.relu(self.b(x)); return self.p(h), self.v(h).squeeze(-1)
m = AC(); opt = torch.optim.RMSprop(m.parameters(), 7e-4)
s = torch.randn(8, 4)
for u in range(40):
    lps, vs, rs, ents = [], [], [], []
    for t in range(5):
        lo, v = m(s)
        d = torch.distributions.Categorical(logits=lo); a = d.sample()
        lps.append(d.log_prob(a)); vs.append(v); ents.append(d.entropy())
        rs.append((a == (s[:, 0] > 0).long()).float())
        s = 0.7 * s + torch.randn(8, 4) * 0.5
    with torch.no_grad(): R = m(s)[1]
    rets = []
    for r in reversed(rs): R = r + 0.9 * R; rets.insert(0, R)
    rets, vs, lps = torch.stack(rets), torch.stack(vs), torch.stack(lps)
    adv = rets - vs
    loss = -(lps * adv.detach()).mean() + 0.5 * adv.pow(2).mean() - 0.01 * torch.stack(ents).mean()
    opt.zero_grad(); loss.backward(); nn.utils.clip_grad_norm_(m.parameters(), 0.5); opt.step()
