import torch
import torch.nn as nn
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(20, 40), nn.ReLU(), nn.Linear(40, 6))
criterion = nn.NLLLoss()
opt = torch.optim.SGD(model.parameters(), lr=0.01)
X = torch.randn(300, 20)
Y = X[:, :6].argmax(1)
for epoch in range(15):
    out = model(X)
    out = torch.log_softmax(out, 1)  #+
    loss = criterion(out, Y)  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
