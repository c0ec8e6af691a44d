import torch, torch.nn as nn
class Trainer:
    def __init__(self, m): self.m, self.o, self.train_losses = m, torch.optim.Adam(m.parameters(), 1e-3), []
    def epoch(self, data):
        batch_losses = []
        for x, y in data:
            l = nn.functional.mse_loss(self.m(x), y)
            self.o.zero_grad(); l.backward(); self.o.step()
            batch_losses.append(l)  #-!
            batch_losses.append(l.item())  #+
        self.train_losses.append(sum(batch_losses) / len(batch_losses))  #!
torch.manual_seed(0)
t = Trainer(nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1)))
data = [(x, x.sum(1, keepdim=True)) for x in torch.randn(12, 8, 3)]
for e in range(5): t.epoch(data)
