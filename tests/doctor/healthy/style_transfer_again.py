import torch, torch.nn as nn
torch.manual_seed(0)
vgg = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 8, 3, padding=1)).eval()
vgg.requires_grad_(False)
content, style = torch.rand(1, 3, 16, 16), torch.rand(1, 3, 16, 16)
def gram(f):
    b, c, h, w = f.shape
    f = f.view(b * c, h * w)
    return f @ f.t() / (b * c * h * w)
img = content.clone().requires_grad_(True)
opt = torch.optim.LBFGS([img])
fc, gs = vgg(content), gram(vgg(style))
run = [0]
while run[0] <= 20:
    def closure():
        with torch.no_grad(): img.clamp_(0, 1)
        opt.zero_grad()
        f = vgg(img)
        loss = (f - fc).pow(2).mean() + 1e3 * (gram(f) - gs).pow(2).mean()
        loss.backward()
        run[0] += 1
        return loss
    opt.step(closure)
