import torch, torch.nn as nn
torch.manual_seed(0)
w = nn.Linear(4, 4); opt = torch.optim.SGD(w.parameters(), 0.1)
for i in range(5):
    x = torch.rand(8, 4)
    s = torch.sqrt(w(x).abs() + 1)
    s += 0.5  #-!
    s = s + 0.5  #+
    loss = s.mean()
    opt.zero_grad(); loss.backward(); opt.step()
