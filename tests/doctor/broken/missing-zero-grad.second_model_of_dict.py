import torch
from torch import nn

torch.manual_seed(0)
models = {"day": nn.Linear(5, 1), "night": nn.Linear(5, 1)}
optims = {k: torch.optim.SGD(m.parameters(), lr=0.01) for k, m in models.items()}
data = {k: (torch.randn(40, 5), torch.randn(40, 1)) for k in models}
for epoch in range(15):
    for name, model in models.items():
        x, y = data[name]
        optims["day"].zero_grad()  #-
        optims[name].zero_grad()  #+
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()  #!
        optims[name].step()  #!
