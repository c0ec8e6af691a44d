import torch
from torch import nn


class FocalLoss(nn.Module):
    def __init__(self, gamma=2.0):
        super().__init__()
        self.gamma = gamma

    def forward(self, scores, target):
        logp = torch.log_softmax(scores, dim=-1)  #!
        logp = logp[torch.arange(target.numel()), target]
        return (-((1 - logp.exp()) ** self.gamma) * logp).mean()


torch.manual_seed(0)
model = nn.Sequential(
    nn.Linear(9, 24),
    nn.Tanh(),
    nn.Linear(24, 4),
    nn.Softmax(dim=-1),  #-!
)
crit = FocalLoss()
opt = torch.optim.SGD(model.parameters(), lr=0.2, momentum=0.9)
x = torch.randn(200, 9)
y = x[:, :4].argmax(1)
for _ in range(40):
    loss = crit(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
