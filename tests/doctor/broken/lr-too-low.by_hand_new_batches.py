import torch
torch.manual_seed(0)
W = torch.randn(3, 6, requires_grad=True)
for it in range(50):
    x = torch.randn(20, 6); t = x[:, :3] * 2
    loss = ((x @ W.T - t) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        W -= 1e-9 * W.grad  #-!
        W -= 0.5 * W.grad  #+
        W.grad.zero_()
