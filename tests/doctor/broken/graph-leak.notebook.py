#= cell
import torch
torch.manual_seed(0)
w = torch.zeros(3, requires_grad=True)
history = []
#= cell
for i in range(30):
    x = torch.randn(10, 3)
    loss = ((x @ w - x.sum(1)) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.05 * w.grad
        w.grad.zero_()
    history.append(loss)  #-!
    history.append(loss.item())  #+
