import torch

torch.manual_seed(0)
w = torch.randn(5, 5, requires_grad=True)
b = torch.zeros(5, requires_grad=True)
optimizer = torch.optim.SGD([w, b], lr=0.01)


def forward(x, mask):
    h = torch.tanh(x @ w + b)
    h2 = h.pow(2)
    h[mask] = 0.0  #-!
    h = h.masked_fill(mask[:, None], 0.0)  #+
    return h.sum() + h2.sum()


for _ in range(5):
    x = torch.randn(8, 5)
    loss = forward(x, x[:, 0] > 0)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
