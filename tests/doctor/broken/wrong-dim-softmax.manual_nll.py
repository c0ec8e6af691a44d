import torch
import torch.nn as nn
torch.manual_seed(0)
w = torch.zeros(6, 4, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.5)
X = torch.randn(100, 6)
Y = X[:, :4].argmax(1)
for i in range(40):
    logits = X @ w
    logp = torch.log_softmax(logits, 0)  #-!
    logp = torch.log_softmax(logits, 1)  #+
    loss = -logp[range(100), Y].mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
