import torch
import torch.nn as nn
class Config:
    lr = 1e-10  #-
    lr = 1e-2  #+
    steps = 40
torch.manual_seed(0)
net = nn.LSTM(3, 12, batch_first=True)
fc = nn.Linear(12, 1)
opt = torch.optim.RMSprop([*net.parameters(), *fc.parameters()], lr=Config.lr)  #!
X = torch.randn(64, 5, 3); Y = X.sum((1, 2)).unsqueeze(1)
for i in range(Config.steps):
    o, _ = net(X)
    loss = nn.functional.mse_loss(fc(o[:, -1]), Y)
    opt.zero_grad(); loss.backward(); opt.step()
