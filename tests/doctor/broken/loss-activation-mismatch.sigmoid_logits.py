import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(
    nn.Linear(5, 10),
    nn.ReLU(),
    nn.Linear(10, 1),
    nn.Sigmoid(),  #-!
)
loss_fn = nn.BCEWithLogitsLoss()
opt = torch.optim.SGD(model.parameters(), lr=0.5)
x = torch.randn(64, 5)
y = (x.sum(1) > 0).float()
for step in range(10):
    logits = model(x).squeeze(1)
    loss = loss_fn(logits, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
