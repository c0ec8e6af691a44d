import torch
import torch.nn as nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Linear(12, 20)
        self.classifier = nn.Linear(20, 10)
    def forward(self, x):
        return self.classifier(torch.relu(self.features(x)))
class Experiment:
    def __init__(self):
        self.net = Net()
        self.opt = torch.optim.Adam(self.net.parameters(), lr=1e-2)  #-!
        self.adapt(3)  #!
        self.opt = torch.optim.Adam(self.net.parameters(), lr=1e-2)  #+
    def adapt(self, n):
        self.net.classifier = nn.Linear(20, n)  #!
    def run(self):
        for i in range(25):
            x = torch.randn(16, 12)
            loss = nn.functional.cross_entropy(self.net(x), x[:, :3].argmax(1))
            self.opt.zero_grad(); loss.backward(); self.opt.step()
torch.manual_seed(0)
Experiment().run()
