import torch
import torch.nn as nn
torch.manual_seed(0)
rnn = nn.RNN(2, 16, batch_first=True)
fc = nn.Linear(16, 1)
opt = torch.optim.Adam([*rnn.parameters(), *fc.parameters()], lr=1e-3)
base = 1.6e9
for i in range(50):
    t = base + torch.arange(10).float().repeat(32, 1) * 3600
    v = torch.randn(32, 10)
    x = torch.stack([t, v], -1)
    x[..., 0] = (x[..., 0] - base) / 36000  #+
    y = v.mean(1, keepdim=True)
    out, _ = rnn(x)  #-!
    out, _ = rnn(x)  #+
    loss = nn.functional.mse_loss(fc(out[:, -1]), y)
    opt.zero_grad(); loss.backward(); opt.step()
