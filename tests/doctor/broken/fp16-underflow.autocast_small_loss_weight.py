import torch
import torch.nn as nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(32, 128)
        self.b = nn.Linear(128, 128)
        self.c = nn.Linear(128, 10)
    def forward(self, x):
        return self.c(torch.relu(self.b(torch.relu(self.a(x)))))
def train(net, opt, steps=30):
    scaler = torch.amp.GradScaler("cpu")  #+
    for s in range(steps):
        x = torch.randn(256, 32)
        y = x[:, :10].argmax(1)
        with torch.autocast(device_type="cpu", dtype=torch.float16):  #!
            loss = nn.functional.cross_entropy(net(x), y) * 1e-5
        opt.zero_grad()
        loss.backward()  #-!
        opt.step()  #-
        scaler.scale(loss).backward()  #+
        scaler.step(opt)  #+
        scaler.update()  #+
torch.manual_seed(0)
net = Net()
train(net, torch.optim.SGD(net.parameters(), lr=1e4))
