import torch
import torch.nn as nn
torch.manual_seed(0)
enc = nn.Sequential(nn.Linear(20, 10), nn.ReLU())
dec = nn.Linear(10, 20)
enc_opt = torch.optim.Adam(enc.parameters(), lr=1e-3)
dec_opt = torch.optim.Adam(dec.parameters(), lr=1e-3)
for it in range(50):
    x = torch.rand(32, 20)
    enc_opt.zero_grad()
    dec_opt.zero_grad()  #+
    rec = dec(enc(x))
    loss = ((rec - x) ** 2).mean()
    loss.backward()  #!
    enc_opt.step()
    dec_opt.step()  #!
