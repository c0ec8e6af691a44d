import torch
from torch import nn
torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
class LogisticRegression(nn.Module):
    def __init__(self, n_in):
        super().__init__()
        self.linear = nn.Linear(n_in, 1)
    def forward(self, x):
        return torch.sigmoid(self.linear(x))
model = LogisticRegression(6).to(device)
criterion = nn.BCELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
X = torch.randn(200, 6).to(device)
y = (X[:, 0] + X[:, 1] > 0).float().view(-1, 1)
num_epochs = 60
for epoch in range(num_epochs):
    y_pred = model(X)
    loss = criterion(y_pred, y)
    optimizer.zero_grad  #-
    optimizer.zero_grad()  #+
    loss.backward()  #!
    optimizer.step()  #!
    if (epoch + 1) % 10 == 0:
        print(f'epoch: {epoch+1}, loss = {loss.item():.4f}')
