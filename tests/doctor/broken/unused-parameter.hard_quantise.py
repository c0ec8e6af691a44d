import torch
from torch import nn

torch.manual_seed(0)


class VQ(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(6, 4)
        self.codebook = nn.Embedding(8, 4)
        self.decoder = nn.Linear(4, 6)

    def forward(self, x):
        z = self.encoder(x)
        idx = torch.cdist(z, self.codebook.weight).argmin(1)  #!
        q = self.codebook(idx)  #!
        loss = (q - z.detach()).pow(2).mean()  #!
        loss = loss + 0.25 * (z - q.detach()).pow(2).mean()  #+
        return self.decoder(q), loss


model = VQ()
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(12):
    x = torch.randn(32, 6)
    recon, vq = model(x)
    loss = nn.functional.mse_loss(recon, x) + vq
    opt.zero_grad()
    loss.backward()
    opt.step()
