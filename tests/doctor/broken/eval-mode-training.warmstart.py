import torch
import torch.nn as nn

torch.manual_seed(0)
backbone = nn.Sequential(nn.Linear(16, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(0.5), nn.Linear(32, 3))
x = torch.randn(256, 16)
y = x[:, :3].argmax(1)
backbone.eval()  #-!
with torch.no_grad():
    print("before", (backbone(x).argmax(1) == y).float().mean().item())
backbone.train()  #+
opt = torch.optim.SGD(backbone.parameters(), lr=0.05, momentum=0.9, nesterov=True)
for i in range(0, 2560, 64):
    j = torch.randint(0, 256, (64,))
    opt.zero_grad()
    loss = nn.functional.cross_entropy(backbone(x[j]), y[j])
    loss.backward()
    opt.step()
