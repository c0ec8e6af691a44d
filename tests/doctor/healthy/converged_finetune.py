import torch, torch.nn as nn
torch.manual_seed(0)
X = torch.randn(128, 3); Y = X @ torch.tensor([[1.0], [2.0], [-1.0]]) + 0.5 + 0.3 * torch.randn(128, 1)
m = nn.Linear(3, 1)
with torch.no_grad():
    m.weight.copy_(torch.tensor([[1.0, 2.0, -1.0]])); m.bias.fill_(0.5)
opt = torch.optim.SGD(m.parameters(), lr=1e-3)
for e in range(60):
    loss = nn.functional.mse_loss(m(X), Y)
    opt.zero_grad(); loss.backward(); opt.step()
