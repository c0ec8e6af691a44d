import torch
from torch import nn
from torch.nn.utils import clip_grad_value_


class AmpTrainer:
    def __init__(self, model):
        self.model = model
        self.opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
        self.scaler = torch.amp.GradScaler("cpu", init_scale=512.0)

    def training_step(self, x, y):
        with torch.autocast(device_type="cpu", dtype=torch.bfloat16):
            logits = self.model(x)
            loss = nn.functional.cross_entropy(logits.float(), y)
        self.opt.zero_grad(set_to_none=True)
        self.scaler.scale(loss).backward()
        self.clip()
        self.scaler.step(self.opt)
        self.scaler.update()

    def clip(self):
        self.scaler.unscale_(self.opt)  #+
        clip_grad_value_(self.model.parameters(), 0.5)  #!


torch.manual_seed(0)
t = AmpTrainer(nn.Sequential(nn.Linear(10, 20), nn.GELU(), nn.Linear(20, 4)))
for _ in range(20):
    x = torch.randn(24, 10)
    t.training_step(x, x[:, :4].argmax(1))
