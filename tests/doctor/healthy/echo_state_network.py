import torch
torch.manual_seed(0)
N = 50
Win, Wres = torch.rand(N, 1) - 0.5, torch.randn(N, N)
Wres *= 0.9 / torch.linalg.eigvals(Wres).abs().max()
u = torch.sin(torch.arange(300) * 0.2).unsqueeze(1)
h, states = torch.zeros(N), []
for t in range(299):
    h = torch.tanh(Win @ u[t] + Wres @ h)
    states.append(h)
S = torch.stack(states)
readout = torch.nn.Linear(N, 1)
opt = torch.optim.LBFGS(readout.parameters(), max_iter=20)
def closure():
    opt.zero_grad()
    loss = ((readout(S) - u[1:]) ** 2).mean() + 1e-6 * readout.weight.pow(2).sum()
    loss.backward()
    return loss
for _ in range(5):
    opt.step(closure)
