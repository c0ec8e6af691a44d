import torch
import torch.nn as nn
def build_model(freeze):
    m = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
    if freeze:
        m.requires_grad_(False)  #!
    return m
torch.manual_seed(0)
model = build_model(freeze=True)  #-
model = build_model(freeze=False)  #+
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for i in range(10):
    x = torch.randn(16, 4)
    loss = nn.functional.cross_entropy(model(x), x[:, :3].argmax(1))
    opt.zero_grad()
    loss.backward()
    opt.step()
