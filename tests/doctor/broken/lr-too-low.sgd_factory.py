import torch
import torch.nn as nn
def make_optimizer(params, name="sgd", lr=1e-8):  #-
def make_optimizer(params, name="sgd", lr=1e-2):  #+
    if name == "sgd":
        return torch.optim.SGD(params, lr=lr, momentum=0.9)  #-!
        return torch.optim.SGD(params, lr=lr, momentum=0.9)  #+
    return torch.optim.Adam(params, lr=lr)
torch.manual_seed(0)
model = nn.Sequential(nn.Conv1d(2, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 10, 1))
opt = make_optimizer(model.parameters())
for it in range(50):
    x = torch.randn(32, 2, 12)
    y = x.mean((1, 2)).unsqueeze(1) * 3 + 5
    loss = nn.functional.mse_loss(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
