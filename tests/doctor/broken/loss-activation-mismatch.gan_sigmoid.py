import torch
import torch.nn as nn


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.main = nn.Sequential(
            nn.Linear(2, 16),
            nn.LeakyReLU(0.2),
            nn.Linear(16, 1),
            nn.Sigmoid(),  #-!
        )

    def forward(self, x):
        return self.main(x).view(-1)


torch.manual_seed(0)
netD = Discriminator()
netG = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 2))
criterion = nn.BCEWithLogitsLoss()
optD = torch.optim.Adam(netD.parameters(), lr=2e-4, betas=(0.5, 0.999))
optG = torch.optim.Adam(netG.parameters(), lr=2e-4, betas=(0.5, 0.999))
for i in range(15):
    netD.zero_grad()
    real = torch.randn(16, 2)
    errD_real = criterion(netD(real), torch.ones(16))
    errD_real.backward()
    fake = netG(torch.randn(16, 3))
    errD_fake = criterion(netD(fake.detach()), torch.zeros(16))
    errD_fake.backward()
    optD.step()
    netG.zero_grad()
    errG = criterion(netD(fake), torch.ones(16))
    errG.backward()
    optG.step()
