import torch, torch.nn as nn
torch.manual_seed(0)
X, Y = torch.randn(64, 10), torch.randn(64, 1)
net = nn.Sequential(nn.Linear(10, 20), nn.Tanh(), nn.Linear(20, 1)); opt = torch.optim.SGD(net.parameters(), lr=0.01)
for t in range(50):
    loss = nn.functional.mse_loss(net(X), Y); opt.zero_grad(); loss.backward(); opt.step()
