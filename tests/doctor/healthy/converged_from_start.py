import torch

torch.manual_seed(0)
net = torch.nn.Linear(3, 1)
with torch.no_grad():
    net.weight.copy_(torch.tensor([[1.0, 2.0, 3.0]]))
    net.bias.zero_()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(20):
    x = torch.randn(16, 3)
    loss = (net(x) - x @ torch.tensor([[1.0], [2.0], [3.0]])).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
