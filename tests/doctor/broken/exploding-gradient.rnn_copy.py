import torch
import torch.nn as nn

torch.manual_seed(0)
rnn = nn.RNN(2, 16, nonlinearity="relu", batch_first=True)
nn.init.eye_(rnn.weight_hh_l0)
rnn.weight_hh_l0.data.mul_(1.4)  #-
head = nn.Linear(16, 1)
params = list(rnn.parameters()) + list(head.parameters())
opt = torch.optim.SGD(params, lr=1e-3)
for i in range(30):
    x = torch.rand(16, 40, 2)
    y = x[..., 0].mean(1, keepdim=True)
    loss = nn.functional.mse_loss(head(rnn(x)[0][:, -1]), y)
    opt.zero_grad()
    loss.backward()  #!
    nn.utils.clip_grad_norm_(params, 1.0)  #+
    opt.step()
