"""Code from another decade: Variable, FloatTensor, .data, type checks, manual updates."""

from __future__ import print_function

import torch
from torch.autograd import Variable

torch.manual_seed(0)
dtype = torch.cuda.FloatTensor if torch.cuda.is_available() else torch.FloatTensor
x = Variable(torch.randn(32, 10).type(dtype), requires_grad=False)
y = Variable(torch.randn(32, 4).type(dtype), requires_grad=False)
w1 = Variable(torch.randn(10, 16).type(dtype), requires_grad=True)
w2 = Variable(torch.randn(16, 4).type(dtype), requires_grad=True)
learning_rate = 1e-4
for t in range(100):
    y_pred = x.mm(w1).clamp(min=0).mm(w2)
    loss = (y_pred - y).pow(2).sum()
    if t % 20 == 0 or t == 99:
        print(t, "loss %.4f" % loss.data.item())
    loss.backward()
    w1.data -= learning_rate * w1.grad.data
    w2.data -= learning_rate * w2.grad.data
    w1.grad.data.zero_()
    w2.grad.data.zero_()
print(w1.data.type(), isinstance(w1.data, torch.FloatTensor), torch.is_tensor(w1))
labels = torch.LongTensor([2, 0, 1])
one_hot = torch.FloatTensor(3, 4).zero_().scatter_(1, labels.view(-1, 1), 1)
print(one_hot.numpy().tolist(), one_hot.sum(), torch.ByteTensor([1, 0]).tolist())
