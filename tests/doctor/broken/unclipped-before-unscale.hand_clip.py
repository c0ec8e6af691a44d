import torch
import torch.nn as nn
class AMPTrainer:
    def __init__(self, model):
        self.model = model
        self.opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
        self.scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
        self.max_norm = 0.5
    def clip(self):
        nn.utils.clip_grad_value_(self.model.parameters(), self.max_norm)  #!
    def step(self, x, y):
        self.opt.zero_grad(set_to_none=True)
        with torch.autocast(device_type="cpu"):
            loss = nn.functional.cross_entropy(self.model(x), y)
        self.scaler.scale(loss).backward()
        self.clip()  #-
        self.scaler.unscale_(self.opt)
        self.clip()  #+
        self.scaler.step(self.opt)
        self.scaler.update()
        return loss.item()
torch.manual_seed(0)
tr = AMPTrainer(nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3)))
for i in range(25):
    x = torch.randn(32, 8)
    tr.step(x, x[:, :3].argmax(1))
