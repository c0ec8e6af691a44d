import torch
from torch import nn


class Fitter:
    def __init__(self, net):
        self.net, self.opt = net, torch.optim.AdamW(net.parameters(), lr=3e-3)

    def fit(self, train, val, epochs):
        for _ in range(epochs):
            self.net.train()  #+
            for x, y in train:
                loss = nn.functional.cross_entropy(self.net(x), y)
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
            self.validate(val)

    def validate(self, batches):
        self.net.eval()  #+
        losses = []
        with torch.inference_mode():  #!
            for x, y in batches:
                losses.append(nn.functional.cross_entropy(self.net(x), y).item())  #!
        return sum(losses) / len(losses)


torch.manual_seed(0)
data = [(x, (x[:, 0] > 0).long()) for x in torch.randn(14, 20, 6)]
net = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Dropout(0.4), nn.Linear(32, 2))
Fitter(net).fit(data[:10], data[10:], 4)
