import torch
import torch.nn as nn
torch.manual_seed(0)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(10, 8)
        self.lin = nn.Linear(8, 2)
    def forward(self, ids):
        e = self.emb(torch.zeros_like(ids))  #-!
        e = self.emb(ids)  #+
        return self.lin(e)
net = Net()
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for i in range(40):
    ids = torch.randint(0, 10, (64,))
    loss = nn.functional.cross_entropy(net(ids), ids % 2)  #-!
    loss = nn.functional.cross_entropy(net(ids), ids % 2)  #+
    opt.zero_grad(); loss.backward(); opt.step()
