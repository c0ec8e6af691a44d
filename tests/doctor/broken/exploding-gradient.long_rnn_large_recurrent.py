import torch
import torch.nn as nn
torch.manual_seed(0)
rnn = nn.RNN(4, 16, nonlinearity="relu", batch_first=True)
for n, p in rnn.named_parameters():
    if "weight_hh" in n:
        nn.init.normal_(p, std=0.8)  #-!
        nn.init.eye_(p)  #+
head = nn.Linear(16, 1)
opt = torch.optim.SGD([*rnn.parameters(), *head.parameters()], lr=1e-3)
for i in range(25):
    x = torch.randn(8, 30, 4)
    o, _ = rnn(x)
    loss = (head(o[:, -1]) - x[:, 0, :1]).pow(2).mean()
    opt.zero_grad()
    loss.backward()  #-!
    loss.backward()  #+
    nn.utils.clip_grad_norm_([*rnn.parameters(), *head.parameters()], 0.1)  #+
    opt.step()
