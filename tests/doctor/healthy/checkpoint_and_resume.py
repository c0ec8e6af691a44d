import io, torch
from torch import nn
torch.manual_seed(0)
def build():
    m = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Dropout(0.1), nn.Linear(16, 1)); o = torch.optim.AdamW(m.parameters(), lr=5e-3)
    return m, o, torch.optim.lr_scheduler.StepLR(o, 10, 0.5)
def run(m, o, s, n):
    m.train()
    for _ in range(n):
        x = torch.randn(32, 4); l = nn.functional.mse_loss(m(x), x[:, :1]); o.zero_grad(); l.backward(); o.step(); s.step()
m, o, s = build(); run(m, o, s, 20)
buf = io.BytesIO(); torch.save({"m": m.state_dict(), "o": o.state_dict(), "s": s.state_dict()}, buf); buf.seek(0)
ck = torch.load(buf); m, o, s = build(); m.load_state_dict(ck["m"]); o.load_state_dict(ck["o"]); s.load_state_dict(ck["s"]); run(m, o, s, 20)
