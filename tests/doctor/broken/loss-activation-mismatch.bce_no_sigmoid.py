import torch
from torch import nn

torch.manual_seed(0)
clf = nn.Sequential(
    nn.Linear(5, 10),
    nn.ReLU(),
    nn.Linear(10, 1),
    nn.Sigmoid(),  #+
)
crit = nn.BCELoss()
opt = torch.optim.Adam(clf.parameters(), lr=1e-2)
X = torch.randn(90, 5)
t = (X[:, :1] > 0.2).float()
for i in range(20):
    opt.zero_grad()
    loss = crit(clf(X), t)  #!
    loss.backward()
    opt.step()
