import torch

torch.manual_seed(0)
x = torch.randn(50, 3)
y = x @ torch.tensor([1.0, -2.0, 3.0]) + 0.5
model = torch.nn.Linear(3, 1)
opt = torch.optim.LBFGS(model.parameters(), lr=0.5)


def closure():
    opt.zero_grad()
    loss = (model(x).squeeze(1) - y).pow(2).mean()
    loss.backward()
    return loss


for _ in range(8):
    opt.step(closure)
