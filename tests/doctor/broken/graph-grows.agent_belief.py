import torch
from torch import nn

torch.manual_seed(0)


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.update = nn.GRUCell(3, 8)
        self.value = nn.Linear(8, 1)

    def forward(self, obs, belief):
        belief = self.update(obs, belief)
        return self.value(belief), belief


agent = Agent()
opt = torch.optim.Adam(agent.parameters(), lr=1e-3)
belief = torch.zeros(4, 8)
for t in range(12):
    obs = torch.randn(4, 3)
    v, belief = agent(obs, belief)  #!
    loss = (v - obs.sum(1, keepdim=True)).pow(2).mean()
    opt.zero_grad()
    loss.backward(retain_graph=True)  #-!
    loss.backward()  #+
    opt.step()
    belief = belief.detach()  #+
