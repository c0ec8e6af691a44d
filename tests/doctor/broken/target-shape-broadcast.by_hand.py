import torch

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)


def mean_squared_error(output, target):
    return ((output - target) ** 2).mean()  #!


for _ in range(10):
    x = torch.rand(30, 2)
    target = x[:, 0] * x[:, 1]
    target = target[:, None]  #+
    loss = mean_squared_error(net(x), target)
    opt.zero_grad()
    loss.backward()
    opt.step()
