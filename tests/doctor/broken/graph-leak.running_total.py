import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
ds = TensorDataset(torch.randn(256, 6), torch.randint(0, 2, (256,)).float())
net = nn.Sequential(nn.Linear(6, 20), nn.ReLU(), nn.Linear(20, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
bce = nn.BCEWithLogitsLoss()
for epoch in range(2):
    epoch_loss = 0
    for xb, yb in DataLoader(ds, batch_size=16, shuffle=True):
        opt.zero_grad()
        loss = bce(net(xb).squeeze(1), yb)
        loss.backward()
        opt.step()
        epoch_loss += loss * xb.size(0)  #-!
        epoch_loss += loss.item() * xb.size(0)  #+
    print("epoch loss", float(epoch_loss) / len(ds))
