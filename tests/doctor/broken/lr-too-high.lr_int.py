import torch
import torch.nn as nn
class Trainer:
    LR = 1  #-
    LR = 1e-2  #+
    def __init__(self):
        torch.manual_seed(0)
        self.net = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 1))
        self.opt = torch.optim.Adam(self.net.parameters(), lr=self.LR)  #!
    def run(self):
        for i in range(80):
            x = torch.randn(64, 10)
            loss = nn.functional.mse_loss(self.net(x), torch.sin(x[:, :1]))
            self.opt.zero_grad(); loss.backward(); self.opt.step()
Trainer().run()
