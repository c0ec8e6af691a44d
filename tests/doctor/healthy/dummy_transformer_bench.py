import time
import torch, torch.nn as nn
torch.manual_seed(0)
m = nn.TransformerEncoder(nn.TransformerEncoderLayer(32, 4, 64, batch_first=True), 2); opt = torch.optim.Adam(m.parameters(), 1e-4)
t0 = time.time()
for i in range(15):
    x = torch.randn(4, 10, 32); loss = m(x).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
print(time.time() - t0)
