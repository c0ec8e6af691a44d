import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence

torch.manual_seed(0)
V, PAD = 12, 0
enc, dec, out = nn.Embedding(V, 10), nn.LSTM(10, 20, batch_first=True), nn.Linear(20, V)
opt = torch.optim.Adam([*enc.parameters(), *dec.parameters(), *out.parameters()], lr=5e-3)
for step in range(30):
    rows = [torch.randint(1, V, (int(n),)) for n in torch.randint(2, 14, (12,))]
    x = pad_sequence(rows, batch_first=True, padding_value=PAD)
    logits = out(dec(enc(x))[0])
    loss = nn.functional.cross_entropy(logits.view(-1, V), x.view(-1))  #-!
    loss = nn.functional.cross_entropy(logits.view(-1, V), x.view(-1), ignore_index=PAD)  #+
    opt.zero_grad()
    loss.backward()
    opt.step()
