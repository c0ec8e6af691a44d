import numpy as np
import torch
from torch import nn

rng = np.random.default_rng(0)
X = rng.normal(size=(150, 6)).astype(np.float32)
Y = (X[:, 0] * X[:, 1] > 0).astype(np.int64)
X_train, y_train = X[:120], Y[:120]
X_test, y_test = X[90:], Y[90:]  #-!
X_test, y_test = X[120:], Y[120:]  #+
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 2))
opt = torch.optim.Adam(net.parameters(), 1e-2)
xt, yt = torch.from_numpy(X_train), torch.from_numpy(y_train)
for epoch in range(30):
    loss = nn.functional.cross_entropy(net(xt), yt)
    opt.zero_grad()
    loss.backward()
    opt.step()
net.eval()
with torch.no_grad():
    pred = net(torch.from_numpy(X_test)).argmax(1)  #!
print((pred.numpy() == y_test).mean())
