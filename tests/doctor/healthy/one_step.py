import torch

m = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
o = torch.optim.Adam(m.parameters())
loss = m(torch.randn(5, 4)).mean()
loss.backward()
o.step()
