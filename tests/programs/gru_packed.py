"""Classify sequences of different lengths: an embedding, a bidirectional GRU, packed batches."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
from torch.utils.data import DataLoader

torch.manual_seed(3)


def make_example():
    length = int(torch.randint(3, 9, (1,)))
    tokens = torch.randint(1, 12, (length,))
    return tokens, int(tokens[0] > tokens[-1])


def collate(batch):
    batch = sorted(batch, key=lambda pair: -len(pair[0]))
    lengths = torch.tensor([len(tokens) for tokens, _ in batch])
    padded = pad_sequence([tokens for tokens, _ in batch], batch_first=True, padding_value=0)
    return padded, lengths, torch.tensor([label for _, label in batch])


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(12, 16, padding_idx=0)
        self.gru = nn.GRU(16, 24, num_layers=2, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * 24, 2)

    def forward(self, tokens, lengths):
        packed = pack_padded_sequence(self.embed(tokens), lengths, batch_first=True)
        output, hidden = self.gru(packed)
        unpacked, _ = pad_packed_sequence(output, batch_first=True)
        assert unpacked.shape[:2] == tokens.shape
        return self.out(torch.cat([hidden[-2], hidden[-1]], dim=-1))


examples = [make_example() for _ in range(160)]
loader = DataLoader(examples, batch_size=32, shuffle=True, collate_fn=collate)
model = Classifier()
optimizer = torch.optim.RMSprop(model.parameters(), lr=5e-3)
for epoch in range(8):
    total = 0.0
    for tokens, lengths, labels in loader:
        optimizer.zero_grad(set_to_none=True)
        loss = F.cross_entropy(model(tokens, lengths), labels)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        total += loss.item() * len(labels)
    print(f"epoch {epoch} loss {total / len(examples):.5f}")
