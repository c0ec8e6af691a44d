import torch
torch.manual_seed(0)
V = torch.rand(30, 4) @ torch.rand(4, 20)
W, H = torch.rand(30, 4, requires_grad=True), torch.rand(4, 20, requires_grad=True)
opt = torch.optim.SGD([W, H], lr=0.01)
for _ in range(100):
    loss = (V - W @ H).pow(2).sum()
    opt.zero_grad(); loss.backward(); opt.step()
    with torch.no_grad():
        W.clamp_(min=0); H.clamp_(min=0)
