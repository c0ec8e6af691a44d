import torch
from torch import nn

torch.manual_seed(0)


def load_pretrained():
    net = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.5), nn.ReLU(), nn.Linear(8, 1))
    net.eval()  #!
    return net


model = load_pretrained()
model.train()  #+
opt = torch.optim.SGD(model.parameters(), lr=0.05)
for step in range(15):
    x = torch.randn(16, 4)
    loss = nn.functional.mse_loss(model(x), x[:, :1])
    opt.zero_grad()
    loss.backward()
    opt.step()
