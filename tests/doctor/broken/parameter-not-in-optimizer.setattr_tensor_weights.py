import torch


class LogisticRegression(torch.nn.Module):
    def __init__(self, n):
        super().__init__()
        self.w = torch.nn.Parameter(torch.zeros(n, 1))
        self.b = torch.zeros(1, requires_grad=True)  #-!
        self.b = torch.nn.Parameter(torch.zeros(1))  #+

    def forward(self, x):
        return torch.sigmoid(x @ self.w + self.b)


torch.manual_seed(0)
m = LogisticRegression(4)
opt = torch.optim.SGD(m.parameters(), lr=0.5)  #!
x = torch.randn(200, 4)
y = (x[:, :1] + 1.0 > 0).float()
for _ in range(50):
    loss = torch.nn.functional.binary_cross_entropy(m(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
