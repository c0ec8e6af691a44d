"""A transformer encoder that learns which token occurs most often, with a padding mask."""

import math

import torch
from torch import nn
from torch.nn import TransformerEncoder, TransformerEncoderLayer


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, dropout=0.1, max_len=50):
        super().__init__()
        self.dropout = nn.Dropout(p=dropout)
        position = torch.arange(max_len).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        pe = torch.zeros(max_len, 1, d_model)
        pe[:, 0, 0::2] = torch.sin(position * div_term)
        pe[:, 0, 1::2] = torch.cos(position * div_term)
        self.register_buffer("pe", pe)

    def forward(self, x):
        return self.dropout(x + self.pe[: x.size(0)])


class Model(nn.Module):
    def __init__(self, ntoken=6, d_model=24, nhead=4, d_hid=32, nlayers=2, dropout=0.0):
        super().__init__()
        self.pos_encoder = PositionalEncoding(d_model, dropout)
        layers = TransformerEncoderLayer(d_model, nhead, d_hid, dropout)
        self.transformer_encoder = TransformerEncoder(layers, nlayers)
        self.embedding = nn.Embedding(ntoken, d_model, padding_idx=0)
        self.d_model = d_model
        self.linear = nn.Linear(d_model, ntoken)
        self.init_weights()

    def init_weights(self):
        initrange = 0.1
        self.embedding.weight.data.uniform_(-initrange, initrange)
        self.linear.bias.data.zero_()
        self.linear.weight.data.uniform_(-initrange, initrange)

    def forward(self, src, padding):
        x = self.pos_encoder(self.embedding(src) * math.sqrt(self.d_model))
        x = self.transformer_encoder(x, src_key_padding_mask=padding)
        keep = (~padding).t().unsqueeze(-1)
        return self.linear((x * keep).sum(dim=0) / keep.sum(dim=0))


def batch(n=32, length=10):
    src = torch.randint(1, 6, (length, n))
    lengths = torch.randint(5, length + 1, (n,))
    padding = torch.arange(length)[None, :] >= lengths[:, None]
    src = src.masked_fill(padding.t(), 0)
    counts = nn.functional.one_hot(src, 6).sum(dim=0)
    counts[:, 0] = 0
    return src, padding, counts.argmax(dim=1)


torch.manual_seed(0)
model = Model()
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, start_factor=0.2, total_iters=10)
model.train()
for step in range(50):
    src, padding, target = batch()
    loss = criterion(model(src, padding), target)
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
    optimizer.step()
    scheduler.step()
    if step % 10 == 0 or step == 49:
        print(f"step {step} lr {scheduler.get_last_lr()[0]:.5f} loss {loss.item():.5f}")
model.eval()
with torch.no_grad():
    src, padding, target = batch(64)
    print(f"eval loss {criterion(model(src, padding), target).item():.5f}")
