import torch
import torch.nn.functional as F


class AMPTrainer:
    def __init__(self, model, clip):
        self.model, self.clip = model, clip
        self.opt = torch.optim.SGD(model.parameters(), lr=0.05)
        self.scaler = torch.cuda.amp.GradScaler()
        self.scaler = torch.amp.GradScaler("cpu")

    def step(self, x, y):
        self.opt.zero_grad(set_to_none=True)
        loss = F.mse_loss(self.model(x), y)
        self.scaler.scale(loss).backward()
        if self.clip:
            self.scaler.unscale_(self.opt)  #+
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.clip)  #!
        self.scaler.step(self.opt)
        self.scaler.update()
        return loss.item()


torch.manual_seed(0)
trainer = AMPTrainer(torch.nn.Linear(4, 1), clip=0.5)
for _ in range(12):
    x = torch.randn(16, 4)
    trainer.step(x, x.sum(1, keepdim=True))
