import torch

torch.manual_seed(0)
x = torch.linspace(-2, 2, 80).unsqueeze(1)
y = torch.sin(2 * x)
w1 = (torch.randn(1, 20)).requires_grad_()
b1 = torch.zeros(20, requires_grad=True)
w2 = (torch.randn(20, 1) * 0.2).requires_grad_()
b2 = torch.zeros(1, requires_grad=True)
params = [w1, b1, w2, b2]


def forward(x):
    return torch.tanh(x @ w1 + b1) @ w2 + b2


for it in range(80):
    loss = (forward(x) - y).pow(2).mean()
    loss.backward()  #!
    with torch.no_grad():
        for p in params:
            p -= 0.02 * p.grad  #!
            p.grad = None  #+
