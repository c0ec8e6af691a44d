import torch
from torch import nn

torch.manual_seed(0)
config = {
    "lr": 1.5,  #-!
    "lr": 1e-2,  #+
    "hidden": 32,
    "epochs": 40,
}
model = nn.Sequential(nn.Linear(4, config["hidden"]), nn.ReLU(), nn.Linear(config["hidden"], 1))
opt = torch.optim.RMSprop(model.parameters(), lr=config["lr"])  #!
x = torch.randn(64, 4)
y = x.pow(2).sum(1, keepdim=True)
for epoch in range(config["epochs"]):
    loss = nn.functional.mse_loss(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
