import torch
from torch import nn


class LM(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(10, 8)
        self.rnn = nn.GRU(8, 16, batch_first=True)
        self.out = nn.Linear(16, 10)
        self.reset_parameters()

    def reset_parameters(self):
        for p in self.rnn.parameters():
            nn.init.zeros_(p)  #-!
            nn.init.uniform_(p, -0.25, 0.25)  #+
        nn.init.zeros_(self.out.weight)  #-!

    def forward(self, x):
        return self.out(self.rnn(self.emb(x))[0])


torch.manual_seed(0)
lm = LM()
opt = torch.optim.Adam(lm.parameters(), lr=1e-2)
for _ in range(40):
    s = (torch.randint(0, 10, (16, 1)) + 3 * torch.arange(8)) % 10
    loss = nn.functional.cross_entropy(lm(s[:, :-1]).flatten(0, 1), s[:, 1:].flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
