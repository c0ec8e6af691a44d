import torch
import torch.nn as nn
torch.manual_seed(0)
price = 40000 + torch.cumsum(torch.randn(300) * 200, 0)
volume = torch.rand(300) * 1e6
series = torch.stack([price, volume], 1)
target = (price[20:] > price[19:-1]).float()
series = (series - series.mean(0)) / series.std(0)  #+
X = torch.stack([series[i:i + 20] for i in range(280)])
lstm, fc = nn.LSTM(2, 16, batch_first=True), nn.Linear(16, 1)
opt = torch.optim.Adam([*lstm.parameters(), *fc.parameters()], lr=1e-3)
for ep in range(4):
    for i in range(0, 280, 28):
        o, _ = lstm(X[i:i + 28])  #-!
        o, _ = lstm(X[i:i + 28])  #+
        loss = nn.functional.binary_cross_entropy_with_logits(fc(o[:, -1]).squeeze(1), target[i:i + 28])
        opt.zero_grad(); loss.backward(); opt.step()
