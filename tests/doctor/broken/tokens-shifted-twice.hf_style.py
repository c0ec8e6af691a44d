import torch
from torch import nn


class CausalLM(nn.Module):
    def __init__(self, v=24, d=12):
        super().__init__()
        self.emb = nn.Embedding(v, d)
        self.rnn = nn.GRU(d, d, batch_first=True)
        self.head = nn.Linear(d, v)

    def forward(self, input_ids, labels):
        logits = self.head(self.rnn(self.emb(input_ids))[0])
        shift_logits = logits[:, :-1]
        shift_labels = labels[:, 1:]
        return nn.functional.cross_entropy(shift_logits.reshape(-1, 24), shift_labels.reshape(-1))  #!


torch.manual_seed(0)
m = CausalLM()
opt = torch.optim.AdamW(m.parameters(), 1e-3)
for _ in range(10):
    t = torch.randint(0, 24, (4, 13))
    loss = m(t[:, :-1], t[:, 1:])  #-!
    loss = m(t[:, :-1], t[:, :-1])  #+
    opt.zero_grad()
    loss.backward()
    opt.step()
