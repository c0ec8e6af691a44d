import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Ragged(Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        n = 3 + i % 5
        seq = torch.randint(1, 12, (n,), generator=g)
        return seq, int(seq.float().mean() > 6)


def collate(items):
    seqs, ys = zip(*items)
    return nn.utils.rnn.pad_sequence(seqs, batch_first=True), torch.tensor(ys)


torch.manual_seed(0)
emb, fc = nn.Embedding(12, 12, padding_idx=0), nn.Linear(12, 2)
opt = torch.optim.Adam([*emb.parameters(), *fc.parameters()], lr=2e-2)
for epoch in range(4):
    for ids, y in DataLoader(Ragged(), batch_size=16, shuffle=True, collate_fn=collate, num_workers=2):
        m = (ids != 0).float()[..., None]
        h = (emb(ids) * m).sum(1) / m.sum(1)
        loss = nn.functional.cross_entropy(fc(h), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
