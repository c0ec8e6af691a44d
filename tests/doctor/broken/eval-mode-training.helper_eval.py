#= evaluation.py
import torch
def accuracy(model, x, y):
    model.eval()  #!
    with torch.no_grad():
        acc = (model(x).argmax(1) == y).float().mean().item()
    model.train()  #+
    return acc
#= main
import torch
import torch.nn as nn
from evaluation import accuracy
torch.manual_seed(0)
X = torch.randn(200, 10)
Y = (X[:, 0] > 0).long()
model = nn.Sequential(nn.Linear(10, 20), nn.ReLU(), nn.Dropout(0.5), nn.Linear(20, 2))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
model.train()
for step in range(60):
    idx = torch.randint(0, 200, (32,))
    loss = nn.functional.cross_entropy(model(X[idx]), Y[idx])
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 5 == 0:
        print(accuracy(model, X, Y))
