import torch

torch.manual_seed(0)
w = torch.randn(5, 5, requires_grad=True)
opt = torch.optim.Adam([w], lr=1e-2)
mask = torch.eye(5).bool()
for i in range(6):
    scores = torch.exp(w)
    scores.masked_fill_(mask, 0.0)  #-!
    scores = scores.masked_fill(mask, 0.0)  #+
    loss = -(scores / scores.sum(1, keepdim=True) + 1e-6).log().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
