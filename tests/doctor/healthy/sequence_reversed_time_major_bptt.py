import torch
from torch import nn
torch.manual_seed(0)
rnn, out = nn.GRU(1, 16), nn.Linear(16, 1); opt = torch.optim.Adam([*rnn.parameters(), *out.parameters()], 5e-3)
x = torch.sin(torch.linspace(0, 50, 400)).view(-1, 1, 1); h = None
for i in range(0, 380, 20):
    y, h = rnn(x[i : i + 20], h); h = h.detach()
    loss = nn.functional.mse_loss(out(y), x[i + 1 : i + 21]); opt.zero_grad(); loss.backward(); opt.step()
