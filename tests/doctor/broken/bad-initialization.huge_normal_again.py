import torch
import torch.nn as nn
torch.manual_seed(0)
W1 = torch.randn(20, 100, requires_grad=True)  #-!
W2 = torch.randn(100, 100, requires_grad=True)  #-!
W3 = torch.randn(100, 5, requires_grad=True)  #-!
W1 = (torch.randn(20, 100) / 20 ** 0.5).requires_grad_()  #+
W2 = (torch.randn(100, 100) / 100 ** 0.5).requires_grad_()  #+
W3 = (torch.randn(100, 5) / 100 ** 0.5).requires_grad_()  #+
opt = torch.optim.SGD([W1, W2, W3], lr=0.01)
X = torch.randn(256, 20)
y = X[:, :5].argmax(1)
for e in range(40):
    h = torch.relu(X @ W1)
    h = torch.relu(h @ W2)
    loss = nn.functional.cross_entropy(h @ W3, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
