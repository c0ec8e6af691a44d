import torch
import torch.nn as nn
torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(4, 24), nn.ReLU(), nn.Linear(24, 3), nn.Softmax(dim=0))  #-!
policy = nn.Sequential(nn.Linear(4, 24), nn.ReLU(), nn.Linear(24, 3), nn.Softmax(dim=-1))  #+
opt = torch.optim.Adam(policy.parameters(), lr=5e-3)
for ep in range(40):
    s = torch.randn(20, 4)
    probs = policy(s)  #-!
    probs = policy(s)  #+
    with torch.no_grad():
        a = torch.multinomial(probs, 1)
        r = (a.squeeze(1) == s[:, :3].argmax(1)).float()
    logp = torch.log(probs.gather(1, a).squeeze(1) + 1e-8)
    loss = -(logp * (r - r.mean())).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
