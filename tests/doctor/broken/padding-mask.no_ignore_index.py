import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence

torch.manual_seed(0)
PAD, V = 0, 14
seqs = []
for _ in range(100):
    n = int(torch.randint(3, 12, (1,)))
    s = (torch.arange(n) + int(torch.randint(0, 13, (1,)))) % 13 + 1
    seqs.append(s)
batch = pad_sequence(seqs, batch_first=True, padding_value=PAD)
emb, rnn, fc = nn.Embedding(V, 12, padding_idx=PAD), nn.GRU(12, 24, batch_first=True), nn.Linear(24, V)
opt = torch.optim.Adam([*emb.parameters(), *rnn.parameters(), *fc.parameters()], lr=1e-2)
crit = nn.CrossEntropyLoss()  #-!
crit = nn.CrossEntropyLoss(ignore_index=PAD)  #+
for i in range(40):
    b = batch[torch.randint(0, 100, (20,))]
    logits = fc(rnn(emb(b[:, :-1]))[0])
    loss = crit(logits.flatten(0, 1), b[:, 1:].flatten())  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
