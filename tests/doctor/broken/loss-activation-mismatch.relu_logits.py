import torch
import torch.nn as nn
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))
nll = nn.NLLLoss()
opt = torch.optim.Adam(model.parameters(), 1e-2)
X = torch.randn(150, 6); Y = X[:, :3].argmax(1)
for e in range(20):
    p = torch.sigmoid(model(X))  #-!
    p = torch.log_softmax(model(X), -1)  #+
    loss = nll(p, Y)  #-!
    loss = nll(p, Y)  #+
    opt.zero_grad(); loss.backward(); opt.step()
