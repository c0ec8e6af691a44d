import torch
import torch.nn.functional as F

torch.manual_seed(0)
stamps = torch.arange(80.0).unsqueeze(1) * 60 + 50000
values = torch.sin(torch.arange(80.0) / 10).unsqueeze(1)
stamps = (stamps - stamps.mean()) / stamps.std()  #+
net = torch.nn.Sequential(torch.nn.Linear(1, 32), torch.nn.Tanh(), torch.nn.Linear(32, 1))
opt = torch.optim.Adam(net.parameters(), lr=5e-5)
for i in range(60):
    out = net(stamps)  #!
    loss = F.mse_loss(out, values)
    opt.zero_grad()
    loss.backward()
    opt.step()
