import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
policy = nn.Sequential(
    nn.Linear(4, 16),
    nn.ReLU(),
    nn.Linear(16, 3),
    nn.Softmax(dim=0),  #-!
    nn.Softmax(dim=-1),  #+
)
opt = torch.optim.Adam(policy.parameters(), lr=1e-2)
for update in range(15):
    obs = torch.randn(32, 4)
    probs = policy(obs)  #!
    dist = Categorical(probs)
    act = dist.sample()
    reward = (act == obs[:, :3].argmax(1)).float()
    loss = -(dist.log_prob(act) * (reward - reward.mean())).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
