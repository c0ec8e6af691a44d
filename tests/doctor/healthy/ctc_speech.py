import torch
from torch import nn

torch.manual_seed(0)
rnn, fc = nn.GRU(6, 24, bidirectional=True), nn.Linear(48, 10)
opt = torch.optim.Adam([*rnn.parameters(), *fc.parameters()], 3e-3)
ctc = nn.CTCLoss(blank=0, zero_infinity=True)
for _ in range(20):
    x = torch.randn(20, 4, 6)
    y = torch.randint(1, 10, (4, 5))
    logp = fc(rnn(x)[0]).log_softmax(-1)
    loss = ctc(logp, y, torch.full((4,), 20), torch.full((4,), 5))
    opt.zero_grad()
    loss.backward()
    opt.step()
