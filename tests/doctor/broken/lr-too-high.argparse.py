import argparse
import torch
import torch.nn as nn
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=50.0)  #-
parser.add_argument("--lr", type=float, default=0.05)  #+
parser.add_argument("--epochs", type=int, default=60)
args = parser.parse_args([])
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=args.lr)  #!
X = torch.randn(64, 8)
Y = X[:, :1].abs()
for e in range(args.epochs):
    loss = nn.functional.mse_loss(model(X), Y)
    optimizer.zero_grad(); loss.backward(); optimizer.step()
