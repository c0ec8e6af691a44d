import io
import csv
import torch
import torch.nn as nn
torch.manual_seed(0)
rows = "".join(f"{i * 0.01},{i % 7},{'nan' if i == 40 else i * 0.02}\n" for i in range(100))
table = [[float(c) for c in r] for r in csv.reader(io.StringIO(rows))]
data = torch.tensor(table)
data = torch.nan_to_num(data)  #+
X, y = data[:, :2], data[:, 2:]
net = nn.Linear(2, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.01)
for e in range(10):
    pred = net(X)
    loss = nn.functional.mse_loss(pred, y)  #!
    opt.zero_grad(); loss.backward(); opt.step()
