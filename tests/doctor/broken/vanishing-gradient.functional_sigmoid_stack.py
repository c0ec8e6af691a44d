import torch

torch.manual_seed(0)
depth, width = 12, 20
weights = [torch.randn(width, width) / width**0.5 for _ in range(depth)]
for w in weights:
    w.requires_grad_()
readout = torch.zeros(width, 1, requires_grad=True)


def forward(x):
    for w in weights:
        x = torch.sigmoid(x @ w)  #-!
        x = x + 0.1 * torch.tanh(x @ w)  #+
    return x @ readout


opt = torch.optim.SGD([*weights, readout], lr=0.01)
x = torch.randn(64, width)
y = x[:, :1]
for step in range(50):
    loss = (forward(x) - y).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
