import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(4, 8, batch_first=True)
        self.fc = nn.Linear(8, 2)

    def forward(self, x):
        return self.fc(self.gru(x)[0][:, -1])


def combined_loss(pred, target, alpha=0.5):
    a = nn.functional.mse_loss(pred, target)
    b = nn.functional.l1_loss(pred, target)
    return torch.tensor(alpha * a.item() + (1 - alpha) * b.item(), requires_grad=True)  #-!
    return alpha * a + (1 - alpha) * b  #+


torch.manual_seed(0)
model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
x, y = torch.randn(64, 6, 4), torch.randn(64, 2)
for epoch in range(20):
    optimizer.zero_grad()
    loss = combined_loss(model(x), y)
    loss.backward()  #!
    optimizer.step()
