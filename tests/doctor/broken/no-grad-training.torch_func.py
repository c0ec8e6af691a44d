import torch
from torch import nn
from torch.func import functional_call

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(5, 16), nn.Tanh(), nn.Linear(16, 1))
params = {k: v.detach().clone() for k, v in model.named_parameters()}  #-!
params = dict(model.named_parameters())  #+
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
x = torch.randn(128, 5)
y = (x ** 2).sum(1, keepdim=True)
for i in range(30):
    optimizer.zero_grad()
    pred = functional_call(model, params, (x,))
    loss = torch.nn.functional.mse_loss(pred, y)
    loss.backward()  #!
    optimizer.step()
