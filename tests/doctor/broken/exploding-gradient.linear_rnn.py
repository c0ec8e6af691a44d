import torch
from torch import nn

torch.manual_seed(0)


class LinearRNN(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.w = nn.Parameter(torch.randn(n, n) * 0.6)  #-!
        self.w = nn.Parameter(torch.eye(n) * 0.5)  #+
        self.u = nn.Linear(2, n)
        self.o = nn.Linear(n, 1)

    def forward(self, x):
        h = torch.zeros(x.shape[0], self.w.shape[0])
        for t in range(x.shape[1]):
            h = h @ self.w + self.u(x[:, t])
        return self.o(h)


m = LinearRNN(16)
opt = torch.optim.SGD(m.parameters(), lr=1e-3)
for i in range(20):
    x = torch.randn(8, 25, 2)
    loss = nn.functional.mse_loss(m(x), x[:, -1, :1])
    opt.zero_grad()
    loss.backward()  #!
    nn.utils.clip_grad_norm_(m.parameters(), 1.0)  #+
    opt.step()
