import torch
import torch.nn as nn

torch.manual_seed(0)


class TextCNN(nn.Module):
    def __init__(self, vocab=50, classes=4):
        super().__init__()
        self.emb = nn.Embedding(vocab, 12)
        self.conv = nn.Conv1d(12, 16, 3)
        self.fc = nn.Linear(16, classes)

    def forward(self, ids):
        h = torch.relu(self.conv(self.emb(ids).transpose(1, 2))).amax(2)
        return self.fc(h)


model = TextCNN()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
criterion = nn.NLLLoss()  #-
criterion = nn.CrossEntropyLoss()  #+
for step in range(15):
    ids = torch.randint(0, 50, (16, 9))
    y = ids[:, 0] % 4
    loss = criterion(model(ids), y)  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
