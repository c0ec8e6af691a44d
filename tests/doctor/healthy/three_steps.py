import torch

torch.manual_seed(0)
m = torch.nn.Linear(2, 2)
o = torch.optim.SGD(m.parameters(), lr=0.1)
for _ in range(3):
    o.zero_grad()
    torch.nn.functional.cross_entropy(m(torch.randn(4, 2)), torch.tensor([0, 1, 0, 1])).backward()
    o.step()
