import torch

torch.manual_seed(0)
data = torch.randn(60, 5) * 2
goal = data.sum(1, keepdim=True)
model = torch.nn.Linear(5, 1)


def configure(lr):
    return torch.optim.SGD(model.parameters(), lr=lr)  #!


opt = configure(1.0)  #-
opt = configure(0.05)  #+
for _ in range(25):
    loss = (model(data) - goal).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
