import torch
import torch.nn.functional as F


class TextCNN(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = torch.nn.Embedding(30, 8)
        self.conv = torch.nn.Conv1d(8, 12, 3)
        self.fc = torch.nn.Linear(12, 4)

    def forward(self, ids):
        h = F.relu(self.conv(self.emb(ids).transpose(1, 2))).amax(2)
        return F.softmax(self.fc(h), dim=-1)  #-!
        return F.log_softmax(self.fc(h), dim=-1)  #+


torch.manual_seed(0)
model = TextCNN()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(15):
    ids = torch.randint(0, 30, (16, 10))
    loss = F.nll_loss(model(ids), ids[:, 0] % 4)  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
