import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(6, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.01)
smooth = None
for it in range(15):
    x = torch.randn(32, 6)
    loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    if smooth is None:
        smooth = loss
    else:
        smooth = 0.9 * smooth + 0.1 * loss  #-!
        smooth = 0.9 * smooth.detach() + 0.1 * loss  #+
    opt.zero_grad()
    smooth.backward(retain_graph=True)  #-!
    smooth.backward()  #+
    opt.step()
