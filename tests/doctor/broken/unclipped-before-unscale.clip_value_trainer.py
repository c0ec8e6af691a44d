import torch
from torch import nn
from torch.amp import GradScaler, autocast


class AmpTrainer:
    def __init__(self, model, lr, clip):
        self.model, self.clip = model, clip
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
        self.scaler = GradScaler("cpu", init_scale=1024.0)

    def backward(self, loss):
        self.scaler.scale(loss).backward()
        self.scaler.unscale_(self.optimizer)  #+
        nn.utils.clip_grad_value_(self.model.parameters(), self.clip)  #!
        self.scaler.step(self.optimizer)
        self.scaler.update()
        self.optimizer.zero_grad(set_to_none=True)

    def train_step(self, x, y):
        with autocast(device_type="cpu", dtype=torch.float16):
            loss = nn.functional.mse_loss(self.model(x).float(), y)
        self.backward(loss)
        return loss.item()


torch.manual_seed(0)
trainer = AmpTrainer(nn.Sequential(nn.Linear(6, 12), nn.GELU(), nn.Linear(12, 1)), 1e-3, 0.5)
for i in range(10):
    x = torch.randn(20, 6)
    trainer.train_step(x, x.sum(1, keepdim=True))
