import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.Sequential(
    nn.Linear(6, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.3), nn.Linear(16, 2)
)
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
x = torch.randn(64, 6)
y = (x[:, 0] > 0).long()


def validate():
    model.eval()  #!
    with torch.no_grad():
        return (model(x).argmax(1) == y).float().mean().item()


for epoch in range(12):
    model.train()  #+
    for i in range(0, 64, 32):
        loss = nn.functional.cross_entropy(model(x[i : i + 32]), y[i : i + 32])
        opt.zero_grad()
        loss.backward()
        opt.step()
    validate()
