import torch
import torch.nn as nn


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(30, 16)
        self.enc = nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 2, 32, dropout=0.1, batch_first=True), 1)
        self.cls = nn.Linear(16, 2)

    def forward(self, ids):
        return self.cls(self.enc(self.emb(ids)).mean(1))


def run_epoch(model, ids, y, opt=None):
    model.train(False)  #-!
    model.train(opt is not None)  #+
    for i in range(0, len(ids), 20):
        with torch.set_grad_enabled(opt is not None):
            loss = nn.functional.cross_entropy(model(ids[i:i + 20]), y[i:i + 20])
        if opt:
            opt.zero_grad()
            loss.backward()
            opt.step()


torch.manual_seed(0)
ids = torch.randint(0, 30, (200, 5))
y = (ids[:, 0] > 15).long()
model = Encoder()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(3):
    run_epoch(model, ids[:160], y[:160], opt)
    run_epoch(model, ids[160:], y[160:])
