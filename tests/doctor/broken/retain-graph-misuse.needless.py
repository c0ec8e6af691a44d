import torch, torch.nn as nn
torch.manual_seed(0)
m = nn.LSTM(3, 8, batch_first=True); f = nn.Linear(8, 2)
o = torch.optim.SGD([*m.parameters(), *f.parameters()], lr=0.1)
for i in range(20):
    x = torch.randn(8, 5, 3)
    h, _ = m(x)
    loss = nn.functional.cross_entropy(f(h[:, -1]), (x[:, 0, 0] > 0).long())
    o.zero_grad()
    loss.backward(retain_graph=True)  #-!
    loss.backward()  #+
    o.step()
