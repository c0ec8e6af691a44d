import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(20, 8, padding_idx=0)
        self.lstm = nn.LSTM(8, 8, batch_first=True, bidirectional=True)
        self.fc = nn.Linear(16, 4)

    def forward(self, ids, lengths):
        packed = pack_padded_sequence(self.emb(ids), lengths, batch_first=True, enforce_sorted=False)
        out, _ = pad_packed_sequence(self.lstm(packed)[0], batch_first=True)
        return self.fc(out)


torch.manual_seed(0)
model = Tagger()
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(15):
    lengths = torch.randint(2, 7, (8,))
    seqs = [torch.randint(1, 20, (int(n),)) for n in lengths]
    ids = pad_sequence(seqs, batch_first=True)
    tags = torch.where(ids > 0, ids % 4, torch.tensor(-100))
    loss = nn.functional.cross_entropy(model(ids, lengths).transpose(1, 2), tags, ignore_index=-100)
    opt.zero_grad()
    loss.backward()
    opt.step()
