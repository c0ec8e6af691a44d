import torch

torch.manual_seed(0)
cell = torch.nn.RNNCell(3, 5)
readout = torch.nn.Linear(5, 1)
optimizer = torch.optim.SGD(list(cell.parameters()) + list(readout.parameters()), lr=0.05)
h = torch.zeros(2, 5)
stream = torch.randn(15, 2, 3)
for x in stream:
    h = h.detach()  #+
    h = cell(x, h)  #!
    loss = (readout(h) - x.sum(1, keepdim=True)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
