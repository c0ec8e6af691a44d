import torch

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(10, 20), torch.nn.Tanh(), torch.nn.Linear(20, 1))
crit = torch.nn.MSELoss()
optim = torch.optim.Adam(net.parameters(), lr=1e-3)
X = torch.randn(64, 10)
Y = X.sum(dim=1, keepdim=True)

optim.zero_grad()  #-
for epoch in range(5):
    for i in range(0, 64, 16):
        optim.zero_grad()  #+
        out = net(X[i : i + 16])
        err = crit(out, Y[i : i + 16])
        err.backward()  #!
        optim.step()  #!
