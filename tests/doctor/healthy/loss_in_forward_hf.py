import torch
from torch import nn


class ModelWithLoss(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(20, 16)
        self.cls = nn.Linear(16, 3)

    def forward(self, input_ids, labels=None):
        logits = self.cls(self.emb(input_ids).mean(1))
        loss = None
        if labels is not None:
            loss = nn.functional.cross_entropy(logits, labels)
        return {"loss": loss, "logits": logits}


torch.manual_seed(0)
model = ModelWithLoss()
opt = torch.optim.AdamW(model.parameters(), lr=1e-2)
log = []
for step in range(40):
    ids = torch.randint(0, 20, (16, 5))
    out = model(ids, ids[:, 0] % 3)
    out["loss"].backward()
    opt.step()
    opt.zero_grad()
    log.append({"step": step, "loss": round(out["loss"].item(), 4)})
