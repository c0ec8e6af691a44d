import torch
import torch.nn as nn
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 1))
opt = torch.optim.Adam(model.parameters())
def predict(x):
    return model(x).detach()  #-!
    return model(x)  #+
for i in range(30):
    x = torch.randn(20, 5)
    y = x[:, 0:1]
    loss = nn.functional.mse_loss(predict(x), y)
    loss.requires_grad = True  #-
    opt.zero_grad()
    loss.backward()
    opt.step()
