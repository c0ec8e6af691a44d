import torch
from torch import nn


class Module(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 4))

    def training_step(self, batch):
        x, y = batch
        return nn.functional.cross_entropy(self.net(x), y)


class AmpTrainer:
    def __init__(self, clip=1.0):
        self.clip = clip
        self.scaler = torch.amp.GradScaler("cpu")

    def clip_gradients(self, model, opt):
        self.scaler.unscale_(opt)  #+
        torch.nn.utils.clip_grad_norm_(model.parameters(), self.clip)  #!

    def fit(self, model, data):
        opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
        for batch in data:
            opt.zero_grad()
            with torch.autocast("cpu", dtype=torch.float16):
                loss = model.training_step(batch)
            self.scaler.scale(loss).backward()
            self.clip_gradients(model, opt)
            self.scaler.step(opt)
            self.scaler.update()


torch.manual_seed(0)
batches = []
for _ in range(25):
    x = torch.randn(16, 8)
    batches.append((x, x[:, :4].argmax(1)))
AmpTrainer().fit(Module(), batches)
