import torch
import torch.nn as nn
class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
    def forward(self, s): return torch.softmax(self.fc(s), -1)
def finish_episode(opt, logps, rewards):
    R, loss = 0.0, 0.0
    for lp, r in zip(reversed(logps), reversed(rewards)):
        R = r + 0.9 * R
        loss = loss - lp * R
    opt.zero_grad()
    loss.backward(retain_graph=True)  #-!
    loss.backward()  #+
    opt.step()
torch.manual_seed(0)
pi = Policy()
opt = torch.optim.Adam(pi.parameters(), lr=1e-2)
for ep in range(20):
    logps, rewards = [], []
    s = torch.randn(4)
    for t in range(8):
        p = pi(s)
        a = torch.multinomial(p.detach(), 1).item()
        logps.append(torch.log(p[a]))
        rewards.append(float(s[a]))
        s = 0.5 * s + torch.randn(4)
    finish_episode(opt, logps, rewards)
