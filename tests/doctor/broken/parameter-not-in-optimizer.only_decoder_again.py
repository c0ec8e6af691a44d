import torch, torch.nn as nn
class AE(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(12, 6), nn.ReLU()); self.decoder = nn.Linear(6, 12)
    def forward(self, x): return self.decoder(self.encoder(x))
torch.manual_seed(0)
m = AE()
optimizer = torch.optim.Adam(m.decoder.parameters(), lr=1e-3)  #-!
optimizer = torch.optim.Adam(m.parameters(), lr=1e-3)  #+
for i in range(30):
    x = torch.rand(16, 12); loss = nn.functional.mse_loss(m(x), x)
    optimizer.zero_grad(); loss.backward(); optimizer.step()
