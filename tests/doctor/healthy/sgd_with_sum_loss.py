import torch

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1))
opt = torch.optim.SGD(net.parameters(), lr=1e-5)
x = torch.randn(500, 8)
y = 10 * x[:, :1]
for _ in range(40):
    loss = (net(x) - y).pow(2).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
