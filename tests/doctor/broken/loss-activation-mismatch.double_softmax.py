import torch
import torch.nn as nn

torch.manual_seed(0)


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(8, 32)
        self.fc2 = nn.Linear(32, 4)

    def forward(self, x):
        x = torch.relu(self.fc1(x))
        return torch.softmax(self.fc2(x), dim=1)  #-!
        return self.fc2(x)  #+


model = Classifier()
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
criterion = nn.CrossEntropyLoss()
x = torch.randn(100, 8)
y = x[:, :4].argmax(1)
for _ in range(10):
    opt.zero_grad()
    loss = criterion(model(x), y)
    loss.backward()
    opt.step()
