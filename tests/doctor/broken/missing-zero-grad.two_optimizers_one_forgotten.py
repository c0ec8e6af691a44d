import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(3)
encoder = nn.Sequential(nn.Linear(12, 8), nn.Tanh(), nn.Linear(8, 4))
decoder = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 12))
opt_e = torch.optim.Adam(encoder.parameters(), lr=1e-3)
opt_d = torch.optim.Adam(decoder.parameters(), lr=1e-3)
basis = torch.randn(3, 12)
data = torch.randn(320, 3) @ basis
for step in range(60):
    batch = data[torch.randint(0, 320, (32,))]
    recon = decoder(encoder(batch))
    loss = F.mse_loss(recon, batch)
    opt_d.zero_grad()
    opt_e.zero_grad()  #+
    loss.backward()  #!
    opt_d.step()
    opt_e.step()  #!
