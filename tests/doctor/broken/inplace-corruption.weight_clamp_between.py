import torch
import torch.nn as nn
torch.manual_seed(0)
critic = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 1))
gen = nn.Linear(3, 2)
oc = torch.optim.RMSprop(critic.parameters(), lr=5e-4)
og = torch.optim.RMSprop(gen.parameters(), lr=5e-4)
for i in range(15):
    fake = gen(torch.randn(16, 3))
    real = torch.randn(16, 2)
    lc = critic(fake.detach()).mean() - critic(real).mean()
    lg = -critic(fake).mean()  #-
    oc.zero_grad()
    lc.backward()
    oc.step()  #-!
    oc.step()  #+
    with torch.no_grad():
        for p in critic.parameters():
            p.clamp_(-0.05, 0.05)  #-!
            p.clamp_(-0.05, 0.05)  #+
    lg = -critic(fake).mean()  #+
    og.zero_grad()
    lg.backward()
    og.step()
