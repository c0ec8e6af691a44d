import torch, torch.nn as nn, torch.nn.functional as F
torch.manual_seed(0)
V = 9
e = nn.Embedding(V, 16); layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0., batch_first=True); o = nn.Linear(16, V)
opt = torch.optim.Adam([p for m in (e, layer, o) for p in m.parameters()], 3e-3)
mask = nn.Transformer.generate_square_subsequent_mask(8)
for i in range(25):
    full = (torch.randint(0, V, (16, 1)) + torch.arange(9)) % V
    inp, tgt = full[:, :-1], full[:, 1:]
    lp = F.log_softmax(o(layer(e(inp), src_mask=mask)), -1)
    loss = F.nll_loss(lp[:, :-1].flatten(0, 1), tgt[:, 1:].flatten())  #-!
    loss = F.nll_loss(lp.flatten(0, 1), tgt.flatten())  #+
    opt.zero_grad(); loss.backward(); opt.step()
