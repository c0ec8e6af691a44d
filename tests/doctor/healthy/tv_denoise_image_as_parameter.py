import torch
torch.manual_seed(0)
clean = torch.zeros(1, 1, 16, 16); clean[..., 4:12, 4:12] = 1; noisy = clean + 0.2 * torch.randn_like(clean)
img = noisy.clone().requires_grad_(); opt = torch.optim.Adam([img], lr=0.05)
for _ in range(60):
    tv = (img[..., 1:, :] - img[..., :-1, :]).abs().mean() + (img[..., 1:] - img[..., :-1]).abs().mean()
    loss = (img - noisy).pow(2).mean() + 0.1 * tv
    opt.zero_grad(); loss.backward(); opt.step()
    with torch.no_grad(): img.clamp_(0, 1)
