import torch
from torch import nn
class CRF(nn.Module):
    def __init__(self, tags):
        super().__init__()
        self.t = nn.Parameter(torch.zeros(tags, tags))
    def forward(self, e, y):
        score = e[:, 0].gather(1, y[:, :1]).squeeze(1)
        alpha = e[:, 0]
        for i in range(1, e.size(1)):
            score = score + e[:, i].gather(1, y[:, i : i + 1]).squeeze(1) + self.t[y[:, i - 1], y[:, i]]
            alpha = torch.logsumexp(alpha.unsqueeze(2) + self.t, 1) + e[:, i]
        return (torch.logsumexp(alpha, 1) - score).mean()
torch.manual_seed(0)
emb, rnn, fc, crf = nn.Embedding(20, 8), nn.LSTM(8, 16, batch_first=True), nn.Linear(16, 4), CRF(4)
opt = torch.optim.Adam([p for m in (emb, rnn, fc, crf) for p in m.parameters()], lr=1e-2)
for _ in range(30):
    x = torch.randint(0, 20, (16, 7))
    loss = crf(fc(rnn(emb(x))[0]), x % 4)
    opt.zero_grad(); loss.backward(); opt.step()
