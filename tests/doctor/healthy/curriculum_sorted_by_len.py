import torch, torch.nn as nn
torch.manual_seed(0)
lens = torch.sort(torch.randint(3, 12, (160,))).values
seqs = [torch.randint(1, 10, (int(n),)) for n in lens]
ys = torch.tensor([int(s[0] > 5) for s in seqs])
emb, gru, fc = nn.Embedding(10, 16, padding_idx=0), nn.GRU(16, 16, batch_first=True), nn.Linear(16, 2)
ps = [*emb.parameters(), *gru.parameters(), *fc.parameters()]; opt = torch.optim.Adam(ps, 5e-3)
for e in range(4):
    for k in range(0, 160, 16):
        b = nn.utils.rnn.pad_sequence(seqs[k:k + 16], batch_first=True)
        _, h = gru(emb(b)); loss = nn.functional.cross_entropy(fc(h[-1]), ys[k:k + 16])
        opt.zero_grad(); loss.backward(); opt.step()
