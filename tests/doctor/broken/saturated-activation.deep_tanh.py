import torch


class Net(torch.nn.Module):
    def __init__(self, gain):
        super().__init__()
        self.layers = torch.nn.ModuleList(torch.nn.Linear(10, 10) for _ in range(3))
        for layer in self.layers:
            torch.nn.init.normal_(layer.weight, std=gain)  #!
        self.out = torch.nn.Linear(10, 2)

    def forward(self, x):
        for layer in self.layers:
            x = torch.tanh(layer(x))  #!
        return self.out(x)


torch.manual_seed(0)
net = Net(1.5)  #-
net = Net(0.3)  #+
opt = torch.optim.SGD(net.parameters(), lr=0.002)
x = torch.randn(80, 10) * 5  #-
x = torch.randn(80, 10)  #+
y = torch.randint(0, 2, (80,))
for _ in range(25):
    loss = torch.nn.functional.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
