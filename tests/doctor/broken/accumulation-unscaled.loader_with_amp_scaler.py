import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(192, 7)
loader = DataLoader(TensorDataset(x, x[:, 2:3] - x[:, 1:2]), batch_size=8, shuffle=True)
model = nn.Sequential(nn.Linear(7, 28), nn.LeakyReLU(), nn.Linear(28, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.005, momentum=0.9)
scaler = torch.amp.GradScaler("cpu", init_scale=64.0)
ACC = 3
for epoch in range(3):
    for n, (xb, yb) in enumerate(loader, 1):
        loss = nn.functional.mse_loss(model(xb), yb)  #!
        scaler.scale(loss).backward()  #-!
        scaler.scale(loss / ACC).backward()  #+
        if n % ACC == 0:
            scaler.step(opt)
            scaler.update()
            opt.zero_grad()
