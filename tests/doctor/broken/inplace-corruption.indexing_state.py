import torch
import torch.nn as nn
torch.manual_seed(0)
W = nn.Linear(8, 8)
opt = torch.optim.SGD(W.parameters(), lr=0.01)
T = 6
for it in range(8):
    x = torch.randn(T, 8)
    states = torch.zeros(T, 8)  #-
    states = [torch.zeros(8)]  #+
    for t in range(1, T):
        states[t] = torch.tanh(W(states[t - 1]) + x[t])  #-!
        states.append(torch.tanh(W(states[t - 1]) + x[t]))  #+
    loss = states[-1].pow(2).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
