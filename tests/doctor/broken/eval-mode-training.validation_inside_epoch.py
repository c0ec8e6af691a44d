import torch
from torch import nn

torch.manual_seed(0)
encoder = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.1, batch_first=True)
embed = nn.Embedding(20, 16)
cls = nn.Linear(16, 2)
model = nn.ModuleDict({"enc": encoder, "emb": embed, "cls": cls})


def forward(ids):
    return cls(encoder(embed(ids)).mean(1))


opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
val_ids = torch.randint(0, 20, (16, 6))
val_y = (val_ids.sum(1) > 60).long()
for step in range(16):
    ids = torch.randint(0, 20, (16, 6))
    y = (ids.sum(1) > 60).long()
    loss = nn.functional.cross_entropy(forward(ids), y)  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 4 == 0:
        model.eval()  #!
        with torch.no_grad():
            val = nn.functional.cross_entropy(forward(val_ids), val_y).item()
        model.train()  #+
