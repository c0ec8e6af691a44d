import numpy as np
import torch
import torch.nn as nn

torch.manual_seed(0)
np.random.seed(0)
t = np.arange(0, 400) * 0.1
prices = np.sin(t) + 0.1 * np.random.randn(400)

def create_sequences(data, seq_length):
    xs, ys = [], []
    for i in range(len(data) - seq_length):
        xs.append(data[i:i + seq_length])
        ys.append(data[i + seq_length])
    return np.array(xs), np.array(ys)

X, y = create_sequences(prices, 12)
X = torch.from_numpy(X).float().unsqueeze(-1)
y = torch.from_numpy(y).float().unsqueeze(-1)

class StockLSTM(nn.Module):
    def __init__(self, hidden=16):
        super().__init__()
        self.lstm = nn.LSTM(1, hidden, batch_first=True)
        self.fc = nn.Linear(hidden, 1)

    def forward(self, x):
        out, (h, c) = self.lstm(x)
        return self.fc(out[:, -1, :])

model = StockLSTM()
criterion = nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(3):
    for i in range(0, len(X), 64):
        xb, yb = X[i:i + 64], y[i:i + 64]
        pred = model(xb)
        loss = criterion(pred, yb)
        optimizer.zero_grad()  #+
        loss.backward()  #!
        optimizer.step()  #!
    print(epoch, loss.item())
