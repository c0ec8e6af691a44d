import torch
import torch.nn as nn
class Tagger(nn.Module):
    def __init__(self, v=25, d=12, k=3):
        super().__init__()
        self.emb = nn.Embedding(v, d)
        self.lstm = nn.LSTM(d, d, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * d, k)
    def forward(self, x):
        e = self.emb(x).data  #-!
        e = self.emb(x)  #+
        o, _ = self.lstm(e)
        return self.out(o)
torch.manual_seed(0)
net = Tagger()
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for i in range(20):
    x = torch.randint(0, 25, (8, 6))
    loss = nn.functional.cross_entropy(net(x).reshape(-1, 3), (x % 3).reshape(-1))
    opt.zero_grad(); loss.backward(); opt.step()
