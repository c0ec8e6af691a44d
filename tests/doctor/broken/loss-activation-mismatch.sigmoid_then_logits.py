import torch, torch.nn as nn
torch.manual_seed(0)
D = nn.Sequential(nn.Linear(4, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1), nn.Sigmoid())  #-!
D = nn.Sequential(nn.Linear(4, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))  #+
opt = torch.optim.Adam(D.parameters(), 1e-3); crit = nn.BCEWithLogitsLoss()
for i in range(25):
    real, fake = torch.randn(16, 4) + 1, torch.randn(16, 4) - 1
    loss = crit(D(real), torch.ones(16, 1)) + crit(D(fake), torch.zeros(16, 1))
    opt.zero_grad(); loss.backward(); opt.step()
