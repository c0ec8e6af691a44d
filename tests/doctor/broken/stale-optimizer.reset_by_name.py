import torch
from torch import nn


def reinit(model):
    for name, layer in list(model.named_children()):
        if isinstance(layer, nn.Linear):
            setattr(model, name, nn.Linear(layer.in_features, layer.out_features))  #-!
            layer.reset_parameters()  #+


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 12), nn.ReLU(), nn.Linear(12, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)  #!
reinit(model)
for i in range(15):
    x = torch.randn(16, 4)
    loss = nn.functional.mse_loss(model(x), x[:, 1:2])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
