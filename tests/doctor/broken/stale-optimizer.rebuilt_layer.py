import torch
from torch import nn

torch.manual_seed(0)


class Growing(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 8)
        self.head = nn.Linear(8, 3)

    def reset_head(self, classes):
        self.head = nn.Linear(8, classes)  #!

    def forward(self, x):
        return self.head(torch.tanh(self.body(x)))


def main():
    net = Growing()
    net.reset_head(4)  #+
    opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    net.reset_head(4)  #-
    for _ in range(10):
        x = torch.randn(32, 4)
        loss = nn.functional.cross_entropy(net(x), x.argmax(1))
        opt.zero_grad()
        loss.backward()
        opt.step()


main()
