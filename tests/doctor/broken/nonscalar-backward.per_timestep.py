import torch
from torch import nn

torch.manual_seed(0)
rnn = nn.LSTM(2, 8, batch_first=True)
proj = nn.Linear(8, 1)
opt = torch.optim.Adam([*rnn.parameters(), *proj.parameters()])


def loss_fn(pred, target, mask):
    per_step = (pred - target).abs() * mask
    return per_step.sum(1)  #-!
    return per_step.sum() / mask.sum()  #+


for i in range(5):
    x = torch.randn(6, 7, 2)
    pred = proj(rnn(x)[0]).squeeze(-1)
    loss = loss_fn(pred, x.sum(-1), torch.ones(6, 7))
    opt.zero_grad()
    loss.backward()  #!
    opt.step()
