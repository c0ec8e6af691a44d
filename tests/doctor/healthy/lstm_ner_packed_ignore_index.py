import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence
torch.manual_seed(0)
emb, rnn, fc = nn.Embedding(25, 12, padding_idx=0), nn.LSTM(12, 16, batch_first=True, bidirectional=True), nn.Linear(32, 3)
opt = torch.optim.Adam([*emb.parameters(), *rnn.parameters(), *fc.parameters()], 1e-2)
for _ in range(30):
    n = torch.randint(2, 10, (12,)); x = torch.zeros(12, int(n.max()), dtype=torch.long)
    for r, k in enumerate(n.tolist()): x[r, :k] = torch.randint(1, 25, (k,))
    y = torch.where(x > 0, x % 3, -100)
    h, _ = pad_packed_sequence(rnn(pack_padded_sequence(emb(x), n, batch_first=True, enforce_sorted=False))[0], batch_first=True)
    loss = nn.functional.cross_entropy(fc(h).flatten(0, 1), y.flatten())
    opt.zero_grad(); loss.backward(); opt.step()
