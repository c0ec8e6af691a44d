#= collate.py
import torch


def collate(rows):
    tokens = torch.stack(rows)
    return {"input_ids": tokens[:, :-1], "labels": tokens[:, 1:]}  #-!
    return {"input_ids": tokens, "labels": tokens}  #+
#= main
import torch
from torch import nn
from torch.utils.data import DataLoader
from collate import collate


class CausalLM(nn.Module):
    def __init__(self, vocab, dim=16):
        super().__init__()
        self.wte = nn.Embedding(vocab, dim)
        self.rnn = nn.GRU(dim, dim, batch_first=True)
        self.lm_head = nn.Linear(dim, vocab)

    def forward(self, input_ids, labels):
        logits = self.lm_head(self.rnn(self.wte(input_ids))[0])
        shift_logits = logits[..., :-1, :].contiguous()  #!
        shift_labels = labels[..., 1:].contiguous()  #!
        return nn.functional.cross_entropy(shift_logits.view(-1, logits.size(-1)), shift_labels.view(-1))  #!


torch.manual_seed(0)
rows = [(torch.randint(0, 15, (1,)) + torch.arange(13) * 2 + torch.randint(0, 2, (13,))) % 15 for _ in range(120)]
model = CausalLM(15)
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
for epoch in range(3):
    for batch in DataLoader(rows, batch_size=12, shuffle=True, collate_fn=collate):
        loss = model(**batch)
        opt.zero_grad()
        loss.backward()
        opt.step()
