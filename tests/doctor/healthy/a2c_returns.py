import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.affine = nn.Linear(4, 32)
        self.action = nn.Linear(32, 2)
        self.value = nn.Linear(32, 1)
        self.saved, self.rewards = [], []

    def forward(self, x):
        x = torch.relu(self.affine(x))
        return torch.softmax(self.action(x), dim=-1), self.value(x)


model = Policy()
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
for episode in range(8):
    state = torch.randn(4)
    for t in range(10):
        probs, v = model(state)
        m = Categorical(probs)
        a = m.sample()
        model.saved.append((m.log_prob(a), v))
        model.rewards.append(1.0 if (state[0] > 0) == bool(a) else 0.0)
        state = torch.randn(4)
    R, returns = 0, []
    for r in model.rewards[::-1]:
        R = r + 0.99 * R
        returns.insert(0, R)
    returns = torch.tensor(returns)
    returns = (returns - returns.mean()) / (returns.std() + 1e-6)
    pl, vl = [], []
    for (lp, v), R in zip(model.saved, returns):
        pl.append(-lp * (R - v.item()))
        vl.append(nn.functional.smooth_l1_loss(v, torch.tensor([R])))
    opt.zero_grad()
    loss = torch.stack(pl).sum() + torch.stack(vl).sum()
    loss.backward()
    opt.step()
    model.saved.clear()
    model.rewards.clear()
