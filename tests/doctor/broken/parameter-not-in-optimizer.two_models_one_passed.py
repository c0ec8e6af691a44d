import torch
from torch import nn

torch.manual_seed(0)
encoder = nn.LSTM(2, 16, batch_first=True)
decoder = nn.Sequential(nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 2))
models = {"encoder": encoder, "decoder": decoder}
opt = torch.optim.Adam(models["decoder"].parameters(), lr=1e-3)  #-!
opt = torch.optim.Adam([p for m in models.values() for p in m.parameters()], lr=1e-3)  #+
for _ in range(40):
    x = torch.randn(16, 6, 2)
    h, _ = encoder(x)
    loss = nn.functional.mse_loss(decoder(h[:, -1]), x[:, -1])
    opt.zero_grad()
    loss.backward()
    opt.step()
