import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(
    nn.Linear(7, 24),
    nn.ReLU(),
    nn.Linear(24, 4),
    nn.Softmax(dim=1),  #-!
)
x = torch.randn(160, 7)
y = x[:, :4].argmax(1)
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
ce = nn.CrossEntropyLoss()
for epoch in range(30):
    opt.zero_grad()
    ce(model(x), y).backward()  #!
    opt.step()
