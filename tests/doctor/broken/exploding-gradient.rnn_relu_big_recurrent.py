import torch
from torch import nn

torch.manual_seed(0)
cell = nn.RNNCell(3, 20, nonlinearity="relu")
with torch.no_grad():  #-
    cell.weight_hh.normal_(0, 0.7)  #-!
readout = nn.Linear(20, 1)
opt = torch.optim.SGD([*cell.parameters(), *readout.parameters()], lr=1e-3)
for it in range(20):
    seq = torch.randn(25, 16, 3)
    h = torch.zeros(16, 20)
    for x in seq:
        h = cell(x, h)  #!
    loss = nn.functional.mse_loss(readout(h), seq.mean((0, 2)).unsqueeze(1))
    opt.zero_grad()
    loss.backward()
    opt.step()
