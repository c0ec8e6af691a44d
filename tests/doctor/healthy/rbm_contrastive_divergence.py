import torch
torch.manual_seed(0)
W = torch.nn.Parameter(torch.randn(16, 8) * 0.01)
a, b = torch.nn.Parameter(torch.zeros(16)), torch.nn.Parameter(torch.zeros(8))
opt = torch.optim.SGD([W, a, b], lr=0.05)
data = (torch.rand(200, 16) < torch.tensor([0.9, 0.1] * 8)).float()
def free_energy(v):
    return -(v @ a) - nn_softplus(v @ W + b).sum(1)
nn_softplus = torch.nn.functional.softplus
for epoch in range(5):
    for v0 in data.split(20):
        with torch.no_grad():
            v = v0
            for _ in range(2):
                h = torch.bernoulli(torch.sigmoid(v @ W + b))
                v = torch.bernoulli(torch.sigmoid(h @ W.T + a))
        loss = free_energy(v0).mean() - free_energy(v).mean()
        opt.zero_grad(); loss.backward(); opt.step()
