import torch
from torch import nn
torch.manual_seed(0)
V = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1)); opt = torch.optim.Adam(V.parameters(), lr=5e-3)
for ep in range(40):
    s, traj = torch.randn(2), []
    for t in range(15):
        s2 = 0.9 * s + 0.1 * torch.randn(2); traj.append((s, float(s2[0]))); s = s2
    G, targets = 0.0, []
    for _, r in reversed(traj):
        G = r + 0.9 * G; targets.insert(0, G)
    S = torch.stack([a for a, _ in traj])
    loss = (V(S).squeeze(-1) - torch.tensor(targets)).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
