import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(
    nn.Linear(6, 12),
    nn.ReLU(),
    nn.Linear(12, 3),
    nn.Softmax(dim=-1),  #-!
)  #!
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
X = torch.randn(120, 6)
Y = X[:, :3].argmax(1)
for epoch in range(5):
    for xb, yb in zip(X.split(30), Y.split(30)):
        loss = nn.functional.cross_entropy(model(xb), yb)  #!
        opt.zero_grad()
        loss.backward()
        opt.step()
