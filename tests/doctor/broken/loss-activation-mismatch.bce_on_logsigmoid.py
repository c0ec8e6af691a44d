import torch
import torch.nn as nn
torch.manual_seed(0)
class Multi(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(10, 6)
        self.sm = nn.Softmax(dim=1)
    def forward(self, x): return self.sm(self.fc(x))  #-!
    def forward(self, x): return self.fc(x)  #+
m = Multi()
opt = torch.optim.Adam(m.parameters(), lr=1e-2)
crit = nn.MultiLabelSoftMarginLoss()  #-
crit = nn.MultiLabelSoftMarginLoss()  #+
crit = nn.BCEWithLogitsLoss()
for i in range(20):
    x = torch.randn(32, 10)
    y = (x[:, :6] > 0).float()
    loss = crit(m(x), y)  #-!
    loss = crit(m(x), y)  #+
    opt.zero_grad(); loss.backward(); opt.step()
