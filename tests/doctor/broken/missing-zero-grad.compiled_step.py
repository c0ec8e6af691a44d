import torch

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(6, 12), torch.nn.GELU(), torch.nn.Linear(12, 1))
optim = torch.optim.SGD(net.parameters(), lr=0.01)


@torch.compile
def train_step(x, y):
    loss = torch.nn.functional.mse_loss(net(x), y)
    optim.zero_grad()  #+
    loss.backward()  #!
    optim.step()  #!
    return loss


for _ in range(30):
    x = torch.randn(16, 6)
    train_step(x, x[:, :1])
