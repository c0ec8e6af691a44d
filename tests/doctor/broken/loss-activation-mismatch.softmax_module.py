import torch
import torch.nn as nn
class MNISTNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.flatten = nn.Flatten()
        self.stack = nn.Sequential(
            nn.Linear(64, 32),
            nn.ReLU(),
            nn.Linear(32, 10),
            nn.Softmax(dim=1),  #-!
        )
    def forward(self, x):
        return self.stack(self.flatten(x))  #!
torch.manual_seed(0)
model = MNISTNet()
loss_fn = nn.CrossEntropyLoss()
opt = torch.optim.SGD(model.parameters(), lr=0.1)
X = torch.rand(200, 8, 8)
y = torch.randint(0, 10, (200,))
for epoch in range(10):
    for i in range(0, 200, 50):
        pred = model(X[i:i + 50])
        loss = loss_fn(pred, y[i:i + 50])  #-!
        loss = loss_fn(pred, y[i:i + 50])  #+
        opt.zero_grad()
        loss.backward()
        opt.step()
