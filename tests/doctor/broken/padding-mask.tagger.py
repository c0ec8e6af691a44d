import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence

torch.manual_seed(0)
emb, rnn, fc = nn.Embedding(20, 8, padding_idx=0), nn.GRU(8, 8, batch_first=True), nn.Linear(8, 20)
opt = torch.optim.Adam([*emb.parameters(), *rnn.parameters(), *fc.parameters()], lr=1e-2)
for _ in range(12):
    seqs = [torch.randint(1, 20, (int(n),)) for n in torch.randint(2, 9, (8,))]
    ids = pad_sequence(seqs, batch_first=True)
    logits = fc(rnn(emb(ids))[0])
    loss = nn.functional.cross_entropy(logits.reshape(-1, 20), ids.reshape(-1))  #-!
    loss = nn.functional.cross_entropy(logits.reshape(-1, 20), ids.reshape(-1), ignore_index=0)  #+
    opt.zero_grad()
    loss.backward()
    opt.step()
