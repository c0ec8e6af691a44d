import torch
import torch.nn as nn
torch.manual_seed(0)
m = nn.Linear(4, 1)
x = torch.randn(64, 4); y = x @ torch.tensor([[1.], [2.], [3.], [4.]])
opt = torch.optim.SGD(m.parameters(), lr=0.01)
def closure():
    opt.zero_grad()  #+
    out = nn.functional.mse_loss(m(x), y)
    out.backward()  #!
    return out
for i in range(30):
    opt.step(closure)  #!
