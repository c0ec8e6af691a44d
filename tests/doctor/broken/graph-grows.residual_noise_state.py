import torch
import torch.nn as nn
torch.manual_seed(0)
cell = nn.Linear(6, 6)
opt = torch.optim.SGD(cell.parameters(), lr=0.001)
state = torch.zeros(8, 6)
for step in range(15):
    inp = torch.randn(8, 6)
    state = torch.tanh(cell(inp) + state)  #!
    loss = (state - inp).pow(2).mean()
    opt.zero_grad()
    loss.backward(retain_graph=True)  #-
    loss.backward()  #+
    state = state.detach()  #+
    opt.step()
