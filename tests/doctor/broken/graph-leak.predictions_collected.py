import torch
import torch.nn as nn

torch.manual_seed(0)


class LSTMForecaster(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(1, 8, batch_first=True)
        self.out = nn.Linear(8, 1)

    def forward(self, x):
        h, _ = self.lstm(x)
        return self.out(h[:, -1])


t = torch.arange(0, 200) * 0.1
series = torch.sin(t)
windows = series.unfold(0, 11, 1)
model = LSTMForecaster()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
all_preds = []
for epoch in range(2):
    for chunk in windows.split(16):
        pred = model(chunk[:, :10, None])
        loss = nn.functional.mse_loss(pred[:, 0], chunk[:, 10])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        all_preds.append(pred)  #-!
        all_preds.append(pred.detach())  #+
