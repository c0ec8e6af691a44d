import torch

torch.manual_seed(0)


class TwoLayer(torch.nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.w1 = torch.nn.Parameter(torch.zeros(d, h))  #-!
        self.w2 = torch.nn.Parameter(torch.zeros(h, 1))  #-!
        self.w1 = torch.nn.Parameter(torch.randn(d, h) / d**0.5)  #+
        self.w2 = torch.nn.Parameter(torch.randn(h, 1) / h**0.5)  #+

    def forward(self, x):
        return torch.tanh(x @ self.w1) @ self.w2


net = TwoLayer(5, 10)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(25):
    x = torch.randn(32, 5)
    loss = (net(x) - torch.sin(x[:, :1])).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
