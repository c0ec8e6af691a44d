import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
ts = torch.linspace(0, 1, 8)
y0 = torch.rand(20, 1)
for _ in range(10):
    traj = torch.zeros(8, 20, 1)
    traj[0] = y0
    state = y0  #+
    states = [y0]  #+
    for i in range(1, 8):
        inp = torch.cat([traj[i - 1], ts[i].expand(20, 1)], 1)  #-
        traj[i] = traj[i - 1] + 0.1 * net(inp) * traj[i - 1]  #-!
        inp = torch.cat([state, ts[i].expand(20, 1)], 1)  #+
        state = state + 0.1 * net(inp) * state  #+
        states.append(state)  #+
    traj = torch.stack(states)  #+
    loss = (traj[-1] - y0 * 2).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
